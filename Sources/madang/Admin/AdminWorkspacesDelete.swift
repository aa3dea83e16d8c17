import ArgumentParser
import MadangOperations

struct AdminWorkspacesDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a workspace with its channels, chats and files.",
    usage: "madang admin workspaces delete <workspace> [--yes] [options]",
    discussion: """
      It is as if the owner had deleted it: it disappears at once, and a running server removes its data within minutes. \
      A workspace on legal hold is refused.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var place: WorkspaceArgument

  func run() async throws {
    try confirmation.confirm("Delete \(place.workspace) with all its chats and files?")
    try await options.withData { try $1.show(try await $0.deleteWorkspace(place.name)) }
  }
}
