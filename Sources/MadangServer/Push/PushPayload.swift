import MadangAPI
import MadangCore

/// A notification as Apple's service takes it: all keys beside `aps` are strings, numbers included; a client drops a
/// notification with any other (contract, edition 2024-01 section 7).
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

  /// What of a chat's text is shown, in bytes: the services refuse a payload beyond 4096.
  private static let maxText = 2000

  /// The payload's JSON.
  /// - Parameters:
  ///   - id: How the receiver's edition writes an id.
  ///   - noText: What a chat without text says.
  static func json(_ chat: Chat, in place: PushPlace, noText: String, id: (ObjectID) -> String) throws -> [UInt8] {
    let isBlank = chat.content.allSatisfy(\.isWhitespace)
    let text = isBlank ? noText : shortened(chat.content)
    let workspace = id(place.workspace)
    switch chat.room.kind {
    case .channel:
      let alert = Aps.Alert(title: place.workspaceName, body: "#\(chat.room.name)\n\(chat.author.nickname): \(text)")
      return try WireEncoder.encode(
        ForChannel(aps: Aps(alert: alert), workspaceID: workspace, channelID: id(chat.room.id)))
    case .dm:
      let alert = Aps.Alert(title: chat.author.nickname, body: text)
      return try WireEncoder.encode(
        ForDirectMessage(
          aps: Aps(alert: alert), workspaceID: workspace, roomID: id(chat.room.id), opponentID: id(chat.author.id)))
    }
  }

  private static func shortened(_ text: String) -> String {
    guard text.utf8.count > maxText else { return text }
    var size = 0
    return String(
      text.prefix { character in
        size += character.utf8.count
        return size <= maxText
      })
  }
}
