import MadangAPI
import MadangCore

/// A notification in the form of Apple's service. All keys beside `aps` are strings, numbers included: clients drop a
/// notification with any other (wire contract, Notifications).
struct PushPayload {
  private struct Aps: Encodable {
    struct Alert: Encodable {
      let title: String
      let body: String
    }

    let alert: Alert
    let sound = "default"
  }

  private struct ForChannel: Encodable {
    let aps: Aps
    let type = "channel"
    let workspaceID: String
    let channelID: String

    enum CodingKeys: String, CodingKey {
      case aps
      case type
      case workspaceID = "workspace_id"
      case channelID = "channel_id"
    }
  }

  private struct ForDirectMessage: Encodable {
    let aps: Aps
    let type = "dm"
    let workspaceID: String
    let roomID: String
    let opponentID: String

    enum CodingKeys: String, CodingKey {
      case aps
      case type
      case workspaceID = "workspace_id"
      case roomID = "room_id"
      case opponentID = "opponent_id"
    }
  }

  /// The longest text and name in a payload, in bytes of JSON: services refuse payloads beyond 4096 bytes. A payload has at
  /// most three names.
  private static let maxText = 2000
  private static let maxName = 500

  /// The payload's JSON.
  /// - Parameters:
  ///   - id: Writes an id as the receiver's edition does.
  ///   - noText: The text shown for a chat without text.
  static func json(_ chat: Chat, in place: PushPlace, noText: String, id: (ObjectID) -> String) throws -> [UInt8] {
    let isBlank = chat.content.allSatisfy(\.isWhitespace)
    let text = shortened(isBlank ? noText : chat.content, to: maxText)
    let author = shortened(chat.author.nickname, to: maxName)
    let workspace = id(place.workspace)
    switch chat.room.kind {
    case .channel:
      let alert = Aps.Alert(
        title: shortened(place.workspaceName, to: maxName),
        body: "#\(shortened(chat.room.name, to: maxName))\n\(author): \(text)")
      return try WireEncoder.encode(
        ForChannel(aps: Aps(alert: alert), workspaceID: workspace, channelID: id(chat.room.id)))
    case .dm:
      let alert = Aps.Alert(title: author, body: text)
      return try WireEncoder.encode(
        ForDirectMessage(
          aps: Aps(alert: alert), workspaceID: workspace, roomID: id(chat.room.id), opponentID: id(chat.author.id)))
    }
  }

  private static func shortened(_ text: String, to limit: Int) -> String {
    var size = 0
    return String(
      text.prefix { character in
        size += character.utf8.reduce(0) { $0 + jsonSize($1) }
        return size <= limit
      })
  }

  private static func jsonSize(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "\n"), UInt8(ascii: "\r"), UInt8(ascii: "\t"): 2
    case ..<0x20: 6
    default: 1
    }
  }
}
