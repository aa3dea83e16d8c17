import MadangAPI
import MadangClient

/// Prints chats one after another; days stand above their chats.
struct ChatPrinter {
  private let output: Output
  private var day = ""

  init(_ output: Output) { self.output = output }

  /// - Parameter room: The room's name, where chats of several rooms mix.
  mutating func show(_ chat: Chat, in room: String? = nil) throws {
    if output.json { return try output.line(chat) }
    let when = LocalTime(chat.createdAt)
    if when.day != day {
      day = when.day
      try Terminal.line(bold(when.day))
    }
    let indent = "       "
    let place = room.map { "\($0) " } ?? ""
    let name = chat.sender.nickname.printable.replacing("\n", with: " ")
    let head = "\(when.time)  \(place)\(name): "
    let files = chat.files.map { "[\($0)]" }
    let text = chat.content.isEmpty ? [] : [chat.content.printable]
    let lines = (head + (text + files).joined(separator: "\n")).wrapped(to: Terminal.width.map { $0 - indent.count })
    for (index, line) in lines.enumerated() {
      try Terminal.line(index == 0 ? line.replacing(head, with: bold(head), maxReplacements: 1) : indent + line)
    }
  }

  private func bold(_ text: String) -> String {
    Terminal.hasColour ? "\u{1B}[1m\(text)\u{1B}[0m" : text
  }
}
