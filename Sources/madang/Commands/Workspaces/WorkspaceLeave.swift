import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceLeave: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leave a workspace and its channels; list the workspaces you still have.",
    usage: "madang workspace leave [--yes] [options]",
    discussion: "Owners of the workspace, or of one of its channels, must hand it over first.")

  @OptionGroup var options: WorkspaceOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      try confirmation.confirm("Leave \(workspace.name)?")
      try person.show(try await person.client.leaveWorkspace(workspace.workspaceID))
      person.output.note("You have left \(workspace.name).")
    }
  }
}
