import MadangAPI

/// An event for a watcher of rooms.
public enum RoomEvent: Hashable, Sendable {
  /// Every room is joined and caught up; chats now arrive as they are posted. Sent first, and after each interruption.
  case live
  case chat(Chat)
  /// The connection was lost and is being reopened. Chats posted meanwhile are delivered later.
  case interrupted(reason: String)
}

extension MadangClient {
  /// The chats of some rooms as they are posted, each exactly once and in order within its room.
  ///
  /// The connection opens with the first `next()`, renews the session's token, survives restarts of the server and lost networks, and
  /// closes when the iterator is released. Chats posted during an interruption, or while the reader was too slow, are read from the
  /// history. Watching a channel does not join it; catching up does.
  /// - Parameters:
  ///   - rooms: Channels and direct-message rooms; all share one connection.
  ///   - cursors: The date of the last known chat by room: newer chats are delivered first. Rooms without a date begin with chats posted
  ///     from now on.
  /// - Returns: A sequence that ends when its task is cancelled. It fails with ``MadangError/notAllowed(namespace:message:)`` for a room
  ///   that the caller may not read, with ``MadangError/refused(_:status:reason:)`` or ``MadangError/signedOut`` when the session is over,
  ///   and with ``MadangError/unreachable(host:reason:)`` if the server cannot be reached at the beginning.
  public func watch(_ rooms: [RoomAddress], after cursors: [RoomAddress: String] = [:]) -> LiveChats {
    LiveChats(client: self, rooms: rooms, cursors: cursors)
  }
}
