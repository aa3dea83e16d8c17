import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelMine: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mine", abstract: "List the channels you have joined, newest first.",
    usage: "madang channel mine [options]")

  @OptionGroup var connection: ConnectionOptions
  @OptionGroup var place: WorkspaceOption

  func run() async throws {
    try await connection.withPerson { person in
      let id = try await person.workspace(place.workspace).workspaceID
      try person.show(try await person.client.myChannels(in: id))
    }
  }
}
