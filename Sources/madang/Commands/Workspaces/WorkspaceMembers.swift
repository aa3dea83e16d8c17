import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceMembers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List the members by joining time.", usage: "madang workspace members [options]")

  @OptionGroup var options: WorkspaceOptions

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      try person.show(try await person.client.members(ofWorkspace: workspace.workspaceID))
    }
  }
}

extension Person {
  func show(_ members: [Edition2024_10.Member]) throws {
    try output.list(
      members, [Column("NICKNAME", \.nickname), Column("EMAIL", \.email)], empty: "There are no members.")
  }
}
