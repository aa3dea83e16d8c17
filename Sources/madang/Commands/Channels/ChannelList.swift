import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelList: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List all channels of the workspace, newest first.",
    usage: "madang channel list [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption

  func run() async throws {
    try await connection.withPerson { person in
      let id = try await person.workspace(place.workspace).workspaceID
      try person.show(try await person.client.channels(in: id))
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
