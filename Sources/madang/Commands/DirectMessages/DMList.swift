import ArgumentParser
import MadangAPI
import MadangClient

struct DMList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List your direct-message rooms, the latest active one first.",
    usage: "madang dm list [options]")

  @OptionGroup var options: WorkspaceOptions

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      try person.output.list(
        try await person.client.directMessages(in: workspace.workspaceID),
        [Column("WITH") { "@" + $0.user.nickname }, Column("EMAIL", \.user.email), Column("ID", \.roomID)],
        empty: "There are no direct messages yet.")
    }
  }
}
