import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a channel you own, with all its chats.",
    usage: "madang channel delete <channel> [--yes] [options]", discussion: "The default channel cannot be deleted.")

  @OptionGroup var target: ChannelOptions
  @OptionGroup var confirmation: ConfirmationOption

  func run() async throws {
    try await target.withChannel { person, workspace, channel in
      try confirmation.confirm("Delete #\(channel.name) with all its chats and files?")
      try await person.client.deleteChannel(channel.channelID, in: workspace.workspaceID)
      try person.output.object(Empty(), [])
      person.output.note("#\(channel.name) was deleted.")
    }
  }
}
