import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelMembers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List the members of a channel by joining time.",
    usage: "madang channel members <channel> [options]")

  @OptionGroup var target: ChannelOptions

  func run() async throws {
    try await target.withChannel { person, workspace, channel in
      try person.show(try await person.client.members(ofChannel: channel.channelID, in: workspace.workspaceID))
    }
  }
}
