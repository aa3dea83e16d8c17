import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelLeave: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "leave", abstract: "Leave a channel; list the channels you still have.",
    usage: "madang channel leave <channel> [--yes] [options]",
    discussion: "Its owner must hand it over first. The default channel cannot be left.")

  @OptionGroup var target: ChannelOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try await target.withChannel { person, workspace, channel in
      try confirmation.confirm("Leave #\(channel.name)?")
      try person.show(try await person.client.leaveChannel(channel.channelID, in: workspace.workspaceID))
      person.output.note("You have left #\(channel.name).")
    }
  }
}
