import ArgumentParser
import Foundation
import MadangAPI
import MadangClient

struct ChannelCreate: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Create a channel and join it.", usage: "madang channel create <name> [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption
  @Argument(help: "Its name, 1 to 30 characters, unique in the workspace.") var name: String
  @Option(help: "What it is for.") var description: String?
  @Option(help: ArgumentHelp("A picture for it.", valueName: "path")) var image: String?

  func run() async throws {
    try await connection.withPerson { person in
      let picture = try image.map { try Upload(file: URL(filePath: $0)) }
      let workspace = try await person.workspace(place.workspace)
      let channel = try await person.client.createChannel(
        name: name, description: description, picture: picture, in: workspace.workspaceID)
      try person.output.object(
        channel, [("name", "#" + channel.name), ("id", channel.channelID), ("workspace", workspace.name)])
    }
  }
}
