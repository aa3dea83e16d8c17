import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelDelete: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete a channel you own, with all its chats.",
    usage: "madang channel delete <channel> [--yes] [options]", discussion: "The default channel cannot be deleted.")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @OptionGroup var confirmation: ConfirmationOption
  @Argument(help: ArgumentHelp("The channel's name.", valueName: "#channel")) var channel: String

  func run() async throws {
    try await connection.withPerson { person in
      let workspace = try await person.workspace(place.workspace)
      let channel = try await person.channel(channel, in: workspace)
      try confirmation.confirm("Delete #\(channel.name) with all its chats and files?")
      try await person.client.deleteChannel(channel.channelID, in: workspace.workspaceID)
      try person.output.object(Empty(), [])
      person.output.note("#\(channel.name) was deleted.")
    }
  }
}
