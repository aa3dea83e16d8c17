import MadangAPI
import MadangClient

/// Prints chats one after another.
struct ChatPrinter {
  private let output: Output
  private var last: Chat?

  init(_ output: Output) { self.output = output }

  /// - Parameter room: The room's name, if chats of several rooms are mixed.
  mutating func show(_ chat: Chat, in room: String? = nil) throws {
    if output.json { return try output.line(chat) }
    let lines = ChatLines.lines(of: chat, after: last, in: room, width: Terminal.width) {
      Terminal.hasColour ? "\u{1B}[1m\($0)\u{1B}[0m" : $0
    }
    for line in lines { try Terminal.line(line) }
    last = chat
  }
}
