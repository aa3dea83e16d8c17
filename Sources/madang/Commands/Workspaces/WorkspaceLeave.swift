import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceLeave: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leave a workspace and its channels; list the workspaces you still have.",
    usage: "madang workspace leave [--yes] [options]",
    discussion: "Owners of the workspace, or of one of its channels, must hand it over first.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try await connection.withPerson { person in
      let workspace = try await person.workspace(place.workspace)
      try confirmation.confirm("Leave \(workspace.name)?")
      try person.show(try await person.client.leaveWorkspace(workspace.workspaceID))
      person.output.note("You have left \(workspace.name).")
    }
  }
}
