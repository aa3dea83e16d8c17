import ArgumentParser
import MadangOperations

struct AdminAnnounceCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create an announcement, which a server then posts.",
    usage: "madang admin announce <text> --from <email> [--yes] [options]",
    discussion: """
      People see it as a chat by the account of --from, with its name and picture. The account needs no membership, and may be disabled so that \
      no person can sign in with it.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "The text of the announcement.") var text: String
  @Option(help: ArgumentHelp("The address of the account that posts it.", valueName: "email")) var from: String
  @Option(help: ArgumentHelp("A title above the text.", valueName: "text")) var title = ""
  @Option(help: ArgumentHelp("Post in this workspace only: its number, id or name.", valueName: "workspace"))
  var workspace: String?

  func run() async throws {
    try confirmation.confirm("Post it in \(workspace.map { "'\($0)'" } ?? "all workspaces")?")
    try await options.withData {
      try $1.show(try await $0.announce(text, title: title, from: from, workspace: workspace))
    }
  }
}
