import ArgumentParser
import MadangOperations

struct AdminWorkspacesRelease: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "End a workspace's legal hold.",
    usage: "madang admin workspaces release <workspace> [--yes] [options]",
    discussion: """
      Data that is too old, or that its owner deleted meanwhile, is deleted within an hour. A workspace that was deleted itself is \
      named by its number or id.
      """)

  @OptionGroup var options: AdminOptions
  @OptionGroup var confirmation: ConfirmationOption
  @OptionGroup var place: WorkspaceArgument

  func run() async throws {
    try confirmation.confirm("End the legal hold of \(place.workspace)?")
    try await options.withData { try $1.show(try await $0.setHold(false, of: place.name)) }
  }
}
