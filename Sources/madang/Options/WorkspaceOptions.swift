import ArgumentParser
import MadangAPI

/// The connection, and the workspace in which a command acts.
struct WorkspaceOptions: ParsableArguments {
  @OptionGroup var connection: ConnectionOptions

  @Option(
    name: .shortAndLong,
    help: ArgumentHelp(
      "The workspace. Default: the one in use ('madang workspace use'), else the newest.", valueName: "name-or-id"))
  var workspace: String?

  /// Runs `body` for the person of the profile in the workspace.
  func withWorkspace(_ body: (Person, Edition2024_10.Workspace) async throws -> Void) async throws {
    try await connection.withPerson { person in try await body(person, try await person.workspace(workspace)) }
  }
}

/// A channel of the workspace in which a command acts.
struct ChannelOptions: ParsableArguments {
  @OptionGroup var options: WorkspaceOptions
  @Argument(help: ArgumentHelp("The channel's name.", valueName: "#channel")) var channel: String

  /// Runs `body` for the person of the profile with the channel.
  func withChannel(
    _ body: (Person, Edition2024_10.Workspace, Edition2024_10.Channel) async throws -> Void
  ) async throws {
    try await options.withWorkspace { person, workspace in
      try await body(person, workspace, try await person.channel(channel, in: workspace))
    }
  }
}
