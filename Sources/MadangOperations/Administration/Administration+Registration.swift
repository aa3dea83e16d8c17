import MadangAPI
import MadangCore

/// An invitation, with dates in wire format.
public struct InvitationSummary: Encodable, Sendable {
  public let number: Int64
  /// Nil for a code.
  public let email: String?
  /// The number of the code that invited the address; nil if an administrator did.
  public let codeNumber: Int64?
  /// The name of the workspace that the people join; nil for none, or one that was deleted.
  public let workspace: String?
  /// The name of the person who invites; nil if none was given.
  public let from: String?
  /// How many accounts, or addresses of a code, are left.
  public let usesLeft: Int
  public let createdAt: String
  public let expiresAt: String
  /// Nil if it was not revoked.
  public let revokedAt: String?
  /// Present only right after its creation.
  public let code: String?
  /// A link of its page, right after its creation, if the server's public address is known.
  public let link: String?

  /// - Parameter link: The URL of its page; nil if unknown.
  init(_ invitation: Invitation, code: LinkCode? = nil, link: String? = nil) {
    number = invitation.id
    email = invitation.email
    codeNumber = invitation.code
    (workspace, from) = (invitation.workspaceName, invitation.inviter)
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

  /// Approves a waiting account; if mails are sent, its owner gets one.
  public func approve(_ email: String) async throws -> AccountSummary {
    AccountSummary(try await madang.approveAccount(email: email, by: administrator))
  }

  /// Deletes an account that waits for approval, like ``deleteAccount(_:)``.
  public func reject(_ email: String) async throws -> AccountSummary {
    try await finish(try await madang.rejectAccount(email: email, by: administrator), of: email)
  }

  /// Marks an account's address as confirmed.
  public func confirmAddress(of email: String) async throws -> AccountSummary {
    AccountSummary(try await madang.confirmAddress(of: email, by: administrator))
  }
}

extension Administration {
  /// The allowed lifetimes of an invitation in days.
  public static let invitationDays = Madang.invitationDays
  /// How many addresses one code can invite.
  public static let invitationUses = Madang.invitationUses

  /// Invites an address to create one account within this number of days.
  /// - Parameters:
  ///   - workspace: The workspace that the account joins; nil for none.
  ///   - inviter: The name of the person who invites; nil for no name.
  ///   - sendsMail: Whether a running server mails the link to the address.
  public func invite(
    _ email: String, days: Int, to workspace: WorkspaceName? = nil, from inviter: String? = nil, sendsMail: Bool = false
  ) async throws -> InvitationSummary {
    try await requireInvitationsCount()
    if sendsMail { try requireMail() }
    do {
      let made = try await madang.invite(
        email: email, days: days, to: Invited(workspace: workspace, inviter: inviter), sendsMail: sendsMail,
        by: administrator)
      return InvitationSummary(made.invitation, link: invitationLink(made.link))
    } catch let leftOut as MailLeftOut { throw refusal(leftOut) }
  }

  /// Creates a code that invites up to `uses` addresses. It is returned only once.
  /// - Parameters:
  ///   - workspace: The workspace that their accounts join; nil for none.
  ///   - inviter: The name of the person who invites; nil for no name.
  public func inviteByCode(
    uses: Int, days: Int, to workspace: WorkspaceName? = nil, from inviter: String? = nil
  ) async throws -> InvitationSummary {
    try await requireInvitationsCount()
    let made = try await madang.inviteByCode(
      uses: uses, days: days, to: Invited(workspace: workspace, inviter: inviter), by: administrator)
    return InvitationSummary(made.invitation, code: made.code, link: invitationLink(made.code))
  }

  /// Nil if the server's public address is not known.
  private func invitationLink(_ code: LinkCode) -> String? {
    settings.publicURL.isEmpty ? nil : settings.domain.link(to: .invite, code)
  }

  /// Throws unless an invitation can admit a person: registration is not closed, or an API key has a rule of its own.
  private func requireInvitationsCount() async throws {
    guard madang.setting(\.registration.mode) == .closed else { return }
    let isOpen = try await madang.keys().contains {
      $0.revokedAt == nil && $0.registration.map { $0 != Registration.closed.rawValue } ?? false
    }
    guard !isOpen else { return }
    throw AdministrationError(
      .closed,
      description: "registration is 'closed', so an invitation has no effect; set registration to invite (docs/host.md)"
    )
  }

  /// Invitations in the order of their numbers.
  /// - Parameters:
  ///   - isOpen: Whether only invitations are listed that can admit a person now.
  ///   - number: Only invitations after this one; nil for the first page.
  public func invitations(
    isOpen: Bool = false, after number: Int64? = nil, limit: Int
  ) async throws -> SearchedPage<InvitationSummary> {
    SearchedPage(try await madang.invitations(isOpen: isOpen, after: number, limit: limit)) { InvitationSummary($0) }
  }

  /// Revokes an invitation and, if it is a code, its unused invitations.
  public func revokeInvitation(_ number: Int64) async throws -> InvitationSummary {
    InvitationSummary(try await madang.revokeInvitation(number, by: administrator))
  }
}
