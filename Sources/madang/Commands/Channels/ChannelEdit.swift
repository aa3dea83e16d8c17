import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change the name, description or picture of a channel you own.",
    usage: "madang channel edit <channel> [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @OptionGroup var fields: PlaceFields
  @Argument(help: ArgumentHelp("The channel's name.", valueName: "#channel")) var channel: String

  func run() async throws {
    try await connection.withPerson { person in
      let picture = try fields.picture.upload
      let workspace = try await person.workspace(place.workspace)
      let id = try await person.channel(channel, in: workspace).channelID
      let edited = try await UploadBar.following(picture) { progress in
        try await person.client.editChannel(
          id, in: workspace.workspaceID, name: fields.name, description: fields.description, picture: picture,
          progress: progress)
      }
      try person.show(edited, in: workspace)
    }
  }
}
