import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelMembers: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List the members of a channel by joining time.",
    usage: "madang channel members <channel> [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @Argument(help: ArgumentHelp("The channel's name.", valueName: "#channel")) var channel: String

  func run() async throws {
    try await connection.withPerson { person in
      let workspace = try await person.workspace(place.workspace)
      let id = try await person.channel(channel, in: workspace).channelID
      try person.show(try await person.client.members(ofChannel: id, in: workspace.workspaceID))
    }
  }
}
