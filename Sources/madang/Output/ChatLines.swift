import MadangAPI
import MadangClient

/// Chats as lines for people; days stand above their chats.
enum ChatLines {
  /// - Parameters:
  ///   - previous: The chat shown before it, whose day need not be repeated.
  ///   - room: The room's name, where chats of several rooms mix.
  ///   - width: The columns to fit into; nil for no limit.
  ///   - emphasised: How days and names stand out.
  static func lines(
    of chat: Chat, after previous: Chat?, in room: String? = nil, width: Int?, emphasised: (String) -> String
  ) -> [String] {
    let when = LocalTime(chat.createdAt)
    let isNewDay = previous.map { LocalTime($0.createdAt).day != when.day } ?? true
    let indent = "       "
    let place = room.map { "\($0) " } ?? ""
    let name = chat.sender.nickname.printable.replacing("\n", with: " ")
    let head = "\(when.time)  \(place)\(name): "
    let files = chat.files.map { "[\($0)]" }
    let text = chat.content.isEmpty ? [] : [chat.content.printable.replacing("\t", with: "  ")]
    let lines = (head + (text + files).joined(separator: "\n")).wrapped(to: width.map { $0 - indent.count })
    return (isNewDay ? [emphasised(when.day)] : [])
      + lines.enumerated().map { index, line in
        index == 0 ? line.replacing(head, with: emphasised(head), maxReplacements: 1) : indent + line
      }
  }
}
