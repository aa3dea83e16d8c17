import ArgumentParser
import MadangCore
import MadangOperations

struct AdminInviteCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Invite an address, or make a code with which people invite their own address.",
    usage: "madang admin invite (<email> | --code) [--workspace <name>] [options]",
    discussion: """
      The link is shown only once. It opens a page of the server, which names who invites to what, and leads to the app \
      ('app.link') and to the chat in the browser. A code invites the address that its holder enters there. The setting \
      'public.url' is the first part of the link.

      With --workspace new accounts join the workspace and its default channel; if they have to be confirmed or approved, \
      as soon as they are. A workspace that is full or deleted by then is left out. An address that has an account joins by \
      'madang admin workspaces add-member'.
      """)

  @OptionGroup var options: AdminOptions
  @Argument(help: "The address.") var email: String?
  @Flag(help: "Make a code.") var code = false
  @Option(help: ArgumentHelp("How many addresses the code invites (default: 1).", valueName: "count")) var uses: Int?
  @Option(help: ArgumentHelp("The workspace that new accounts join: its number, id or name.", valueName: "workspace"))
  var workspace: String?
  @Option(help: ArgumentHelp("Who invites, as the invited read it.", valueName: "name")) var from: String?
  @Flag(help: "Mail the link to the address.") var mail = false
  @Option(help: "How many days it is valid.") var days = 14

  func validate() throws {
    if (email == nil) != code { throw ValidationError("Give an address, or --code\(code ? ", not both" : "").") }
    if uses != nil, !code { throw ValidationError("An address makes one account: --uses is for --code.") }
    if mail, code { throw ValidationError("A code belongs to no address: --mail is for an address.") }
    if let uses, !Administration.invitationUses.contains(uses) {
      throw ValidationError("--uses must be from 1 to \(Administration.invitationUses.upperBound).")
    }
    if !Administration.invitationDays.contains(days) {
      throw ValidationError("--days must be from 1 to \(Administration.invitationDays.upperBound).")
    }
  }

  func run() async throws {
    try await options.withData { administration, output in
      let workspace = workspace.map { WorkspaceName($0) }
      let made =
        if let email {
          try await administration.invite(email, days: days, to: workspace, from: from, sendsMail: mail)
        } else {
          try await administration.inviteByCode(uses: uses ?? 1, days: days, to: workspace, from: from)
        }
      try output.show(made)
    }
  }
}
