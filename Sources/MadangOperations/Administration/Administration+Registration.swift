import MadangAPI
import MadangCore

/// An invitation, with dates as they travel.
public struct InvitationSummary: Encodable, Sendable {
  public let number: Int64
  /// Nil for one of a code.
  public let email: String?
  /// The number of the code with which the address was admitted; nil for one that an administrator made.
  public let codeNumber: Int64?
  /// How many accounts, or addresses of a code, it is still good for.
  public let usesLeft: Int
  public let createdAt: String
  public let expiresAt: String
  /// Nil for one that was not revoked.
  public let revokedAt: String?
  /// Only when it has just been made.
  public let code: String?
  /// The same, where the server's public address is known.
  public let link: String?

  /// - Parameter link: The address of its page; nil where that is not known.
  init(_ invitation: Invitation, code: LinkCode? = nil, link: String? = nil) {
    number = invitation.id
    email = invitation.email
    codeNumber = invitation.code
    usesLeft = invitation.usesLeft
    createdAt = WireDate.string(invitation.createdAt)
    expiresAt = WireDate.string(invitation.expiresAt)
    revokedAt = invitation.revokedAt.map { WireDate.string($0) }
    self.code = code?.text
    self.link = link
  }
}

extension Administration {
  /// Accounts that wait for approval, in the order of their numbers.
  public func pendingAccounts(after number: Int64, limit: Int) async throws -> [AccountSummary] {
    try await madang.pendingAccounts(after: number, limit: limit).map(AccountSummary.init)
  }

  /// Approves an account that waits for it; where mails are sent, its owner is told.
  public func approve(_ email: String) async throws -> AccountSummary {
    AccountSummary(try await madang.approveAccount(email: email))
  }

  /// Deletes an account that waits for approval, as ``deleteAccount(_:)`` does.
  public func reject(_ email: String) async throws -> AccountSummary {
    try await finish(try await madang.rejectAccount(email: email), of: email)
  }

  /// Takes an account's address for confirmed.
  public func confirmAddress(of email: String) async throws -> AccountSummary {
    AccountSummary(try await madang.confirmAddress(byAdministrator: email))
  }
}

extension Administration {
  /// Days for which an invitation can be made.
  public static let invitationDays = Madang.invitationDays
  /// Addresses that one code can invite.
  public static let invitationUses = Madang.invitationUses

  /// Invites an address: it may make one account within so many days.
  public func invite(_ email: String, days: Int) async throws -> InvitationSummary {
    InvitationSummary(try await madang.invite(email: email, days: days))
  }

  /// Makes a code that invites as many addresses as it has uses. It is answered this once.
  public func inviteByCode(uses: Int, days: Int) async throws -> InvitationSummary {
    let made = try await madang.inviteByCode(uses: uses, days: days)
    let link = settings.publicURL.isEmpty ? nil : settings.domain.link(to: .invite, made.code)
    return InvitationSummary(made.invitation, code: made.code, link: link)
  }

  /// Invitations in the order of their numbers.
  public func invitations(after number: Int64, limit: Int) async throws -> [InvitationSummary] {
    try await madang.invitations(after: number, limit: limit).map { InvitationSummary($0) }
  }

  /// Ends an invitation, and those that its code has made and that are still good.
  public func revokeInvitation(_ number: Int64) async throws -> InvitationSummary {
    InvitationSummary(try await madang.revokeInvitation(number))
  }
}
