import ArgumentParser
import MadangAPI
import MadangClient

struct ChannelMine: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "mine", abstract: "List the channels you have joined, newest first.",
    usage: "madang channel mine [options]")

  @OptionGroup var options: WorkspaceOptions

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      try person.show(try await person.client.myChannels(in: workspace.workspaceID))
    }
  }
}
