import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceTransfer: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer", abstract: "Make another member the owner of your workspace.",
    usage: "madang workspace transfer <member> [--yes] [options]",
    discussion: "The default channel goes with it. You stay a member.")

  @OptionGroup var options: WorkspaceOptions
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: ArgumentHelp("The new owner.", valueName: "@nickname-or-email")) var member: String

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      let owner = try await person.member(member, of: workspace)
      try confirmation.confirm("Make @\(owner.nickname) the owner of \(workspace.name)?")
      try person.show(try await person.client.handOverWorkspace(workspace.workspaceID, to: owner.userID))
      person.output.note("@\(owner.nickname) now owns \(workspace.name).")
    }
  }
}
