import ArgumentParser
import MadangOperations

struct AdminWorkspacesHold: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hold", abstract: "Put a workspace on legal hold: nothing of it is deleted.",
    usage: "madang admin workspaces hold <workspace> [options]",
    discussion: """
      Neither by age nor by 'chats remove' or 'users delete'. What its owner deletes vanishes from sight and stays in the \
      database until the 'release'.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var place: WorkspaceArgument

  func run() async throws {
    try await options.withData { try $1.show(try await $0.setHold(true, of: place.workspace)) }
  }
}
