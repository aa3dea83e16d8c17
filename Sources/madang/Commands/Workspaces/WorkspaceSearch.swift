import ArgumentParser
import MadangAPI
import MadangClient

struct WorkspaceSearch: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "search", abstract: "Find channels and members by a part of their names or addresses.",
    usage: "madang workspace search <keyword> [options]")

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: "1 to 100 characters, upper or lower case.") var keyword: String

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      let found = try await person.client.search(keyword, in: workspace.workspaceID)
      if person.output.json { return try person.output.line(found) }
      let channels = found.channels.map { Hit(name: "#" + $0.name, about: $0.description) }
      let members = found.workspaceMembers.map { Hit(name: "@" + $0.nickname, about: $0.email) }
      try person.output.list(
        channels + members, [Column("NAME", \.name), Column("ABOUT", \.about)], empty: "Nothing matches.")
    }
  }

  private struct Hit: Encodable {
    let name: String
    let about: String
  }
}
