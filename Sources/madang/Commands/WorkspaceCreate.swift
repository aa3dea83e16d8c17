import ArgumentParser
import Foundation
import MadangAPI
import MadangClient

struct WorkspaceCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a workspace. This costs coins.",
    usage: "madang workspace create <name> [options]")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "Its name, 1 to 30 characters, unique on the server.") var name: String
  @Option(help: "What it is for.") var description: String?
  @Option(help: ArgumentHelp("A picture for it.", valueName: "path")) var image: String?

  func run() async throws {
    try await connection.withPerson { person in
      let picture = try image.map { try Upload(file: URL(filePath: $0)) }
      let workspace = try await person.client.createWorkspace(name: name, description: description, picture: picture)
      try person.output.object(workspace, [("name", workspace.name), ("id", workspace.workspaceID)])
    }
  }
}
