import ArgumentParser
import Foundation

struct ChatCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "chat", abstract: "Talk in a room, full-screen, with its history and a line to type in.",
    usage: "madang chat <room> [options]",
    discussion: """
      Enter sends the line, PgUp and PgDn look back, /file PATH sends a file, /quit, Ctrl-D or Ctrl-C leave. The line above \
      yours shows unread chats of your other rooms. Lost connections are opened again; chats that could not be sent meanwhile are \
      sent then, or the next time you open the room. Its history is kept in madang/history under XDG_DATA_HOME or ~/.local/share.
      """)

  @OptionGroup var options: WorkspaceOptions
  @Argument(help: "'#channel' or @nickname-or-email.") var room: String

  func validate() throws {
    if options.connection.json { throw ValidationError("chat is for people; 'madang watch --json' is for programs.") }
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1 else {
      throw ValidationError("chat needs a terminal; 'madang say', 'history' and 'watch' do not.")
    }
  }

  func run() async throws {
    var status: Int32 = 0
    try await options.withWorkspace { person, workspace in
      let named = try await person.room(room, in: workspace)
      status = try await ChatSession(conversation: Conversation(named, in: workspace, for: person)).run()
    }
    if status != 0 { throw ExitCode(status) }
  }
}
