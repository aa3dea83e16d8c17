import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelShow: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a channel with its members. Looking does not join.",
    usage: "madang channel show <channel> [options]")

  @OptionGroup var target: ChannelOptions

  func run() async throws {
    try await target.withChannel { person, workspace, channel in
      let detail = try await person.client.channel(channel.channelID, in: workspace.workspaceID)
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
