import ArgumentParser
import MadangOperations

struct AdminWorkspacesRemoveMember: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove-member", abstract: "Take somebody out of a workspace and its channels.",
    usage: "madang admin workspaces remove-member <workspace> <email> [options]",
    discussion: """
      As if they had left: their sockets are disconnected, what they wrote stays, and the owner may add them again. Channels they \
      own go to the workspace's owner. The owner is removed after a 'hand-over' only.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var place: WorkspaceArgument
  @Argument(help: "The member's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Remove \(email) from \(place.workspace)?")
    try await options.withData { try $1.show(try await $0.removeMember(email, from: place.workspace)) }
  }
}
