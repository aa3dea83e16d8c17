import MadangAPI

/// A place where chats are: a channel or a direct-message room, in its workspace.
public enum Room: Hashable, Sendable {
  case channel(id: String, workspace: String)
  case directMessage(id: String, workspace: String)

  /// The id of the channel or of the direct-message room.
  public var id: String {
    switch self {
    case .channel(let id, _), .directMessage(let id, _): id
    }
  }

  /// The namespace its chats arrive in live.
  public var namespace: RoomNamespace {
    switch self {
    case .channel(let id, _): RoomNamespace(.channel, id)
    case .directMessage(let id, _): RoomNamespace(.dm, id)
    }
  }

  /// The name of the event that carries its chats.
  public var event: ChatEvent {
    switch self {
    case .channel: .channel
    case .directMessage: .dm
    }
  }
}

/// A chat in either kind of room, as it travelled.
public enum Chat: Hashable, Sendable {
  case channel(Edition2024_10.ChannelChat)
  case directMessage(Edition2024_10.DMChat)

  public var id: String {
    switch self {
    case .channel(let chat): chat.chatID
    case .directMessage(let chat): chat.dmID
    }
  }

  /// The id of the room it is in.
  public var roomID: String {
    switch self {
    case .channel(let chat): chat.channelID
    case .directMessage(let chat): chat.roomID
    }
  }

  /// Empty for a chat of files only.
  public var content: String {
    switch self {
    case .channel(let chat): chat.content
    case .directMessage(let chat): chat.content
    }
  }

  /// The date as it travels: strictly increasing within a room, comparable as text, and a cursor.
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

  /// Who wrote it.
  public var sender: Edition2024_10.Member {
    switch self {
    case .channel(let chat): chat.user
    case .directMessage(let chat): chat.user
    }
  }
}

extension Chat: Encodable {
  /// Encodes the object as it travelled.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .channel(let chat): try chat.encode(to: encoder)
    case .directMessage(let chat): try chat.encode(to: encoder)
    }
  }
}

/// How many chats of others in a room are newer than a date.
public enum Unread: Hashable, Sendable {
  case channel(Edition2024_10.ChannelUnread)
  case directMessage(Edition2024_10.DMUnread)

  public var count: Int {
    switch self {
    case .channel(let unread): unread.count
    case .directMessage(let unread): unread.count
    }
  }
}

extension Unread: Encodable {
  /// Encodes the object as it travelled.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .channel(let unread): try unread.encode(to: encoder)
    case .directMessage(let unread): try unread.encode(to: encoder)
    }
  }
}
