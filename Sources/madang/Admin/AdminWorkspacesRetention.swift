import ArgumentParser
import MadangServer

struct AdminWorkspacesRetention: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "retention", abstract: "Set how long a workspace keeps chats and files.",
    usage: "madang admin workspaces retention <workspace> [options]",
    discussion: """
      What is older is deleted within an hour, for good. What is left out is kept as the settings retention.chats.days and \
      retention.files.days say.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var place: WorkspaceArgument
  @Option(help: ArgumentHelp("Keep chats so many days; 0 for ever.", valueName: "days")) var chatDays: Int?
  @Option(help: ArgumentHelp("Keep files of chats so many days; 0 for ever.", valueName: "days")) var fileDays: Int?

  func run() async throws {
    try confirmation.confirm("Change how long \(place.workspace) keeps chats and files?")
    try await options.withData {
      try $1.show(try await $0.setRetention(of: place.workspace, chats: chatDays, files: fileDays))
    }
  }
}
