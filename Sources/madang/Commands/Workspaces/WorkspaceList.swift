import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your workspaces, newest first.", usage: "madang workspace list [options]",
    discussion: "The workspace in use is marked with '*'.")

  @OptionGroup var connection: ConnectionOptions

  func run() async throws {
    try await connection.withPerson { person in
      try person.show(try await person.client.workspaces())
    }
  }
}

extension Person {
  func show(_ workspaces: [Edition2024_10.Workspace]) throws {
    let current = workspaces.first { $0.workspaceID == workspaceInUse } ?? workspaces.first
    try output.list(
      workspaces,
      [
        Column("NAME") { $0.workspaceID == current?.workspaceID ? "* " + $0.name : "  " + $0.name },
        Column("ID", \.workspaceID), Column("SINCE") { LocalTime($0.createdAt).day },
      ], empty: "You are not in a workspace yet.")
  }
}
