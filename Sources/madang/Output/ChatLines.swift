import Foundation
import MadangAPI
import MadangClient

/// Formats chats as lines of text, with days above their chats.
enum ChatLines {
  /// - Parameters:
  ///   - previous: The chat shown before it. The day is repeated only if it differs.
  ///   - room: The room's name, if chats of several rooms are mixed.
  ///   - width: The available columns; nil for no limit.
  ///   - emphasised: Highlights days and names.
  static func lines(
    of chat: Chat, after previous: Chat?, in room: String? = nil, width: Int?, emphasised: (String) -> String
  ) -> [String] {
    let when = LocalTime(chat.createdAt)
    let isNewDay = previous.map { LocalTime($0.createdAt).day != when.day } ?? true
    let place = room.map { "\($0) " } ?? ""
    let head = "\(when.time)  \(place)\(chat.sender.nickname): "
    let said = lines(head, chat.content, chat.files.map { "[\($0)]" }, width: width, emphasised: emphasised)
    return (isNewDay ? [emphasised(when.day)] : []) + said
  }

  /// A chat of the person that is not in the room yet, and the reason.
  static func lines(of chat: PendingChat, width: Int?, emphasised: (String) -> String) -> [String] {
    let state: [String] =
      switch chat.status {
      case .waiting: ["(waiting)"]
      case .sending(_, total: 0), .acknowledged: []
      case .sending(let sent, let total): ["(\(100 * sent / total)%)"]
      case .failed(let error): ["(not sent: \(error); /retry or /discard)"]
      }
    let files = chat.files.map { "[\($0.lastPathComponent)]" }
    return lines("...    you: ", chat.content, files + state, width: width, emphasised: emphasised)
  }

  private static func lines(
    _ head: String, _ content: String, _ notes: [String], width: Int?, emphasised: (String) -> String
  ) -> [String] {
    let indent = "       "
    let head = head.printable.replacing("\n", with: " ")
    let text = content.isEmpty ? [] : [content.printable.replacing("\t", with: "  ")]
    let lines = (head + (text + notes.map(\.printable)).joined(separator: "\n"))
      .wrapped(to: width.map { $0 - indent.count })
    return lines.enumerated().map { index, line in
      index == 0 ? line.replacing(head, with: emphasised(head), maxReplacements: 1) : indent + line
    }
  }
}
