import MadangAPI

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
  /// Encodes the object in its wire form.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .channel(let unread): try unread.encode(to: encoder)
    case .directMessage(let unread): try unread.encode(to: encoder)
    }
  }
}
