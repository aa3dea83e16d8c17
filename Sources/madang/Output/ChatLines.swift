import Foundation
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
    let place = room.map { "\($0) " } ?? ""
    let head = "\(when.time)  \(place)\(chat.sender.nickname): "
    let said = lines(head, chat.content, chat.files.map { "[\($0)]" }, width: width, emphasised: emphasised)
    return (isNewDay ? [emphasised(when.day)] : []) + said
  }

  /// A chat of one's own that is not in the room yet, and what holds it up.
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
