import Foundation
import MadangAPI
import SocketIOProtocol

/// A room with chats: a channel or a direct-message room, in its workspace.
public enum RoomAddress: Hashable, Sendable {
  case channel(id: String, workspace: String)
  case directMessage(id: String, workspace: String)

  /// A date before every chat.
  public static let beginning = WireDate.string(0)

  /// The id of the channel or of the direct-message room.
  public var id: String {
    switch self {
    case .channel(let id, _), .directMessage(let id, _): id
    }
  }

  /// The namespace of its live chats.
  public var namespace: RoomNamespace {
    switch self {
    case .channel(let id, _): RoomNamespace(.channel, id)
    case .directMessage(let id, _): RoomNamespace(.dm, id)
    }
  }

  /// The name of the event with its chats.
  public var event: ChatEvent {
    switch self {
    case .channel: .channel
    case .directMessage: .dm
    }
  }
}

extension RoomAddress {
  /// Decodes a chat of this room from its JSON, which is the same in a reply, in the history, in an event and in the local store.
  func chat(json: some DataProtocol) throws -> Chat {
    let bytes = Array(json)
    return switch self {
    case .channel: .channel(try ForeignJSON.decode(Edition2024_10.ChannelChat.self, from: bytes))
    case .directMessage: .directMessage(try ForeignJSON.decode(Edition2024_10.DMChat.self, from: bytes))
    }
  }

  /// Decodes chats of this room from a JSON array.
  func chats(json: [UInt8]) throws -> [Chat] {
    switch self {
    case .channel:
      try ForeignJSON.decode([Edition2024_10.ChannelChat].self, from: json).map(Chat.channel)
    case .directMessage:
      try ForeignJSON.decode([Edition2024_10.DMChat].self, from: json).map(Chat.directMessage)
    }
  }
}
