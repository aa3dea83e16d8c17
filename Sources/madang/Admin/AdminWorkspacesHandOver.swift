import ArgumentParser
import MadangOperations

struct AdminWorkspacesHandOver: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hand-over", abstract: "Make another member the owner of a workspace.",
    usage: "madang admin workspaces hand-over <workspace> <email> [--yes] [options]",
    discussion: "The owner before stays a member. The default channel goes with the workspace.")

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var place: WorkspaceArgument
  @Argument(help: "The member's address.") var email: String

  func run() async throws {
    try confirmation.confirm("Make \(email) the owner of \(place.workspace)?")
    try await options.withData { try $1.show(try await $0.handOver(place.name, to: email)) }
  }
}
