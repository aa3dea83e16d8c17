import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a workspace you own, with all its chats.",
    usage: "madang workspace delete [--yes] [options]")

  @OptionGroup var options: WorkspaceOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      try confirmation.confirm("Delete \(workspace.name) with all its channels, chats and files?")
      try await person.client.deleteWorkspace(workspace.workspaceID)
      try person.output.object(Empty(), [])
      person.output.note("\(workspace.name) was deleted.")
    }
  }
}
