import MadangAPI

/// A chat in either kind of room, in its wire form.
public enum Chat: Hashable, Sendable {
  case channel(Edition2024_10.ChannelChat)
  case directMessage(Edition2024_10.DMChat)

  public var id: String {
    switch self {
    case .channel(let chat): chat.chatID
    case .directMessage(let chat): chat.dmID
    }
  }

  /// The id of its room.
  public var roomID: String {
    switch self {
    case .channel(let chat): chat.channelID
    case .directMessage(let chat): chat.roomID
    }
  }

  /// Empty for a chat with files only.
  public var content: String {
    switch self {
    case .channel(let chat): chat.content
    case .directMessage(let chat): chat.content
    }
  }

  /// The date in its wire form: strictly increasing within a room, comparable as text, and usable as a cursor.
  public var createdAt: String {
    switch self {
    case .channel(let chat): chat.createdAt
    case .directMessage(let chat): chat.createdAt
    }
  }

  /// Stored paths, for ``MadangClient/download(_:to:)``.
  public var files: [String] {
    switch self {
    case .channel(let chat): chat.files
    case .directMessage(let chat): chat.files
    }
  }

  /// The author.
  public var sender: Edition2024_10.Member {
    switch self {
    case .channel(let chat): chat.user
    case .directMessage(let chat): chat.user
    }
  }
}

extension Chat: Encodable {
  /// Encodes the object in its wire form.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .channel(let chat): try chat.encode(to: encoder)
    case .directMessage(let chat): try chat.encode(to: encoder)
    }
  }
}
