/// The Socket.IO namespace of a room, and the event of its chats (wire contract, Socket events).
public struct RoomNamespace: Hashable, Sendable {
  public enum Prefix: String, Sendable, CaseIterable {
    case channel = "/ws-channel-"
    case dm = "/ws-dm-"
  }

  public let prefix: Prefix
  /// The room's id in the form of this edition: digits or a UUID.
  public let id: String

  public init(_ prefix: Prefix, _ id: String) {
    self.prefix = prefix
    self.id = id
  }

  /// Parses a namespace's name; nil if it is not a room's.
  public init?(name: String) {
    guard let prefix = Prefix.allCases.first(where: { name.utf8.starts(with: $0.rawValue.utf8) }) else { return nil }
    self.init(prefix, String(Substring(name.utf8.dropFirst(prefix.rawValue.utf8.count))))
  }

  public var name: String { prefix.rawValue + id }
}

/// Names of the events with a chat.
public enum ChatEvent: String, Sendable, CaseIterable {
  case channel, dm
}
