import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a channel with its members. Looking does not join.",
    usage: "madang channel show <channel> [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @Argument(help: ArgumentHelp("The channel's name.", valueName: "#channel")) var channel: String

  func run() async throws {
    try await connection.withPerson { person in
      let workspace = try await person.workspace(place.workspace)
      let id = try await person.channel(channel, in: workspace).channelID
      let detail = try await person.client.channel(id, in: workspace.workspaceID)
      try person.output.object(
        detail,
        [
          ("name", "#" + detail.name), ("id", detail.channelID), ("description", detail.description),
          ("owner", detail.channelMembers.nickname(of: detail.ownerID)), ("since", LocalTime(detail.createdAt).day),
          ("members", detail.channelMembers.map { "@" + $0.nickname }.joined(separator: " ")),
        ])
    }
  }
}
