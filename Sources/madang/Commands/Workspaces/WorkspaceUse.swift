import ArgumentParser
import MadangAPI

struct WorkspaceUse: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "use", abstract: "Choose the default workspace of commands.",
    usage: "madang workspace use <name-or-id> [options]")

  @OptionGroup var connection: ConnectionOptions
  @Argument(help: "Its name or id.") var workspace: String

  func run() async throws {
    try await connection.withPerson { person in
      let chosen = try await person.workspace(workspace)
      try person.profile.update { $0?.workspace = chosen.workspaceID }
      try person.show(chosen)
    }
  }
}
