import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a workspace. This costs coins.",
    usage: "madang workspace create <name> [options]")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "Its name, 1 to 30 characters, unique on the server.") var name: String
  @Option(help: "Its description.") var description: String?
  @OptionGroup var picture: PictureOption

  func run() async throws {
    try await connection.withPerson { person in
      let picture = try picture.upload
      let workspace = try await UploadBar.following(picture) { progress in
        try await person.client.createWorkspace(
          name: name, description: description, picture: picture, progress: progress)
      }
      try person.show(workspace)
    }
  }
}

extension Person {
  func show(_ workspace: Edition2024_10.Workspace) throws {
    try output.object(
      workspace,
      [("name", workspace.name), ("id", workspace.workspaceID), ("description", workspace.description)])
  }
}
