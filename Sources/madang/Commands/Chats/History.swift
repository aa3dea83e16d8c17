import ArgumentParser
import MadangAPI
import MadangClient

struct History: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "history", abstract: "Print a room's chats, oldest first, and mark them read.",
    usage: "madang history <room> [--after <date>] [options]",
    discussion: "Reading a channel joins it.")

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: "'#channel' or @nickname-or-email.") var room: String
  @Option(help: "Only chats newer than this, such as the createdAt of a chat.") var after: String?

  func run() async throws {
    try await options.withWorkspace { person, workspace in
      let target = try await person.room(room, in: workspace)
      let chats = try await person.client.history(of: target.room, after: after)
      var printer = ChatPrinter(person.output)
      for chat in chats { try printer.show(chat) }
      try person.markRead(chats)
    }
  }
}
