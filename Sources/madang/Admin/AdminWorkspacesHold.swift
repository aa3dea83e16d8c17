import ArgumentParser
import MadangOperations

struct AdminWorkspacesHold: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "Put a workspace on legal hold: none of its data is deleted.",
    usage: "madang admin workspaces hold <workspace> [options]",
    discussion: """
      Its data is deleted neither by age nor by 'chats remove' or 'users delete'. Data that its owner deletes is hidden and stays in the \
      database until the 'release'.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var place: WorkspaceArgument

  func run() async throws {
    try await options.withData { try $1.show(try await $0.setHold(true, of: place.name)) }
  }
}
