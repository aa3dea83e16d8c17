import MadangAPI
import MadangCore

/// Who may make an account.
public enum RegistrationMode: String, CaseIterable, Sendable {
  /// Whoever has an API key.
  case open
  /// Whose address was invited.
  case invite
  /// Whose address is of one of `registration.domains`, or was invited.
  case domain
  /// Nobody.
  case closed

  init(_ registration: Registration) {
    self =
      switch registration {
      case .open: .open
      case .invite: .invite
      case .domain: .domain
      case .closed: .closed
      }
  }

  var registration: Registration {
    switch self {
    case .open: .open
    case .invite: .invite
    case .domain: .domain
    case .closed: .closed
    }
  }
}

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

  init(_ invitation: Invitation, code: LinkCode? = nil, publicURL: String = "") {
    number = invitation.id
    email = invitation.email
    codeNumber = invitation.code
    usesLeft = invitation.usesLeft
    createdAt = WireDate.string(invitation.createdAt)
    expiresAt = WireDate.string(invitation.expiresAt)
    revokedAt = invitation.revokedAt.map { WireDate.string($0) }
    self.code = code?.text
    link = code.flatMap { publicURL.isEmpty ? nil : "\(publicURL)/invite/\($0.text)" }
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
    return InvitationSummary(made.invitation, code: made.code, publicURL: settings.publicURL)
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
