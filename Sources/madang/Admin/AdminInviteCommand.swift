import ArgumentParser
import MadangOperations

struct AdminInviteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Invitations, for servers with restricted registration.",
    discussion: """
      Invitations apply if the setting 'registration', or that of an API key, is 'invite' or 'domain'. An invitation of an address allows \
      one account. Unless 'registration.confirm' is set, people need not prove that an address is theirs: give a code only to the people you invite.
      """,
    subcommands: [AdminInviteCreate.self, AdminInviteList.self, AdminInviteRevoke.self],
    defaultSubcommand: AdminInviteCreate.self)
}

extension InvitationSummary {
  /// The state of the invitation, in words.
  var state: String {
    if revokedAt != nil { return "revoked" }
    if usesLeft == 0 { return "used up" }
    return LocalTime(expiresAt).day
  }
}

extension Output {
  func show(_ invitation: InvitationSummary) throws {
    var fields = [("number", "\(invitation.number)")]
    fields += invitation.email.map { [("email", $0)] } ?? []
    if let code = invitation.code {
      fields += [("code", code), ("link", invitation.link ?? "https://HOST/invite/\(code)")]
    } else if let link = invitation.link {
      fields.append(("link", link))
    }
    fields += invitation.workspace.map { [("workspace", $0)] } ?? []
    fields += invitation.from.map { [("from", $0)] } ?? []
    fields += [
      ("uses left", "\(invitation.usesLeft)"), ("until", LocalTime(invitation.expiresAt).day),
      ("revoked", invitation.revokedAt.map { LocalTime($0).day } ?? "no"),
    ]
    try object(invitation, fields)
  }
}
