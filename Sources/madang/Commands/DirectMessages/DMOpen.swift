import ArgumentParser
import MadangAPI

struct DMOpen: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Open the room with one other member; it is made on the first call.",
    usage: "madang dm open <member> [options]")

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: ArgumentHelp("The other person.", valueName: "@nickname-or-email")) var member: String

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      let room = try await person.directMessage(member, in: workspace)
      try person.output.object(
        room, [("with", "@" + room.user.nickname), ("email", room.user.email), ("id", room.roomID)])
    }
  }
}
