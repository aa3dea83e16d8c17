import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelLeave: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leave a channel; list the channels you still have.",
    usage: "madang channel leave <channel> [--yes] [options]",
    discussion: "Its owner must hand it over first. The default channel cannot be left.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: ArgumentHelp("The channel's name.", valueName: "#channel")) var channel: String

  func run() async throws {
    try await connection.withPerson { person in
      let workspace = try await person.workspace(place.workspace)
      let channel = try await person.channel(channel, in: workspace)
      try confirmation.confirm("Leave #\(channel.name)?")
      try person.show(try await person.client.leaveChannel(channel.channelID, in: workspace.workspaceID))
      person.output.note("You have left #\(channel.name).")
    }
  }
}
