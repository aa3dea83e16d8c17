import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all channels of the workspace, newest first.",
    usage: "madang channel list [options]")

  @OptionGroup var options: WorkspaceOptions

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      try person.show(try await person.client.channels(in: workspace.workspaceID))
    }
  }
}

extension Person {
  func show(_ channels: [Edition2024_10.Channel]) throws {
    try output.list(
      channels,
      [Column("NAME") { "#" + $0.name }, Column("ID", \.channelID), Column("SINCE") { LocalTime($0.createdAt).day }],
      empty: "There are no channels.")
  }
}
