import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a channel and join it.", usage: "madang channel create <name> [options]")

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: "Its name, 1 to 30 characters, unique in the workspace.") var name: String
  @Option(help: "Its description.") var description: String?
  @OptionGroup var picture: PictureOption

  func run() async throws {
    let picture = try picture.upload
    try await options.withWorkspace { person, workspace in
      let channel = try await UploadBar.following(picture) { progress in
        try await person.client.createChannel(
          name: name, description: description, picture: picture, in: workspace.workspaceID, progress: progress)
      }
      try person.show(channel, in: workspace)
    }
  }
}

extension Person {
  func show(_ channel: Edition2024_10.Channel, in workspace: Edition2024_10.Workspace) throws {
    try output.object(
      channel,
      [
        ("name", "#" + channel.name), ("id", channel.channelID), ("description", channel.description),
        ("workspace", workspace.name),
      ])
  }
}
