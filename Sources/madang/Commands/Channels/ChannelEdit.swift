import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelEdit: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "edit", abstract: "Change the name, description or picture of a channel you own.",
    usage: "madang channel edit <channel> [options]")

  @OptionGroup var target: ChannelOptions
  @OptionGroup var fields: PlaceFields

  func run() async throws {
    let picture = try fields.picture.upload
    try await target.withChannel { person, workspace, channel in
      let edited = try await UploadBar.following(picture) { progress in
        try await person.client.editChannel(
          channel.channelID, in: workspace.workspaceID, name: fields.name, description: fields.description,
          picture: picture,
          progress: progress)
      }
      try person.show(edited, in: workspace)
    }
  }
}
