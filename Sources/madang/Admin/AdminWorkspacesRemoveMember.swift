import ArgumentParser
import MadangOperations

struct AdminWorkspacesRemoveMember: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-member", abstract: "Remove a member from a workspace and its channels.",
    usage: "madang admin workspaces remove-member <workspace> <email> [options]",
    discussion: """
      It is as if they had left: their sockets are disconnected, their chats stay, and the owner may add them again. Channels they \
      own go to the workspace's owner. An owner can be removed only after a 'hand-over'.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var place: WorkspaceArgument
  @Argument(help: "The member's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Remove \(email) from \(place.workspace)?")
    try await options.withData { try $1.show(try await $0.removeMember(email, from: place.name)) }
  }
}
