import ArgumentParser
import MadangOperations

struct AdminAnnounceCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Have it posted.",
    usage: "madang admin announce <text> --from <email> [--yes] [options]",
    discussion: """
      It is a chat of the account of --from, which people see with its name and picture. It needs no membership, and may be disabled, so that \
      nobody can sign in with it.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: "What is said.") var text: String
  @Option(help: ArgumentHelp("The address of the account that says it.", valueName: "email")) var from: String
  @Option(help: ArgumentHelp("Stands above the text.", valueName: "text")) var title = ""
  @Option(help: ArgumentHelp("In this workspace only: its number, id or name.", valueName: "workspace"))
  var workspace: String?

  func run() async throws {
    try confirmation.confirm("Post it in \(workspace.map { "'\($0)'" } ?? "all workspaces")?")
    try await options.withData {
      try $1.show(try await $0.announce(text, title: title, from: from, workspace: workspace))
    }
  }
}
