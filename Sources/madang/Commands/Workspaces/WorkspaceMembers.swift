import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceMembers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List the members by joining time.", usage: "madang workspace members [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption

  func run() async throws {
    try await connection.withPerson { person in
      let id = try await person.workspace(place.workspace).workspaceID
      try person.show(try await person.client.members(ofWorkspace: id))
    }
  }
}

extension Person {
  func show(_ members: [Edition2024_10.Member]) throws {
    try output.list(
      members, [Column("NICKNAME", \.nickname), Column("EMAIL", \.email)], empty: "There are no members.")
  }
}
