import MadangAPI

/// What reaches somebody who watches rooms.
public enum RoomEvent: Hashable, Sendable {
  /// Every room is joined and caught up: chats come as they are posted. First, and after each interruption.
  case live
  case chat(Chat)
  /// The connection was lost; it is being opened again, and what is missed meanwhile will be caught up with.
  case interrupted(reason: String)
}

extension MadangClient {
  /// The chats of some rooms as they are posted, each exactly once and in order within its room.
  ///
  /// The connection is opened with the first `next()`, renews the session's token, survives restarts of the server and
  /// lost networks, and closes when the iterator is gone. What was posted during an interruption, or while the reader
  /// was too slow, is read from the history. Watching a channel does not join it; catching up does.
  /// - Parameters:
  ///   - rooms: Channels and direct-message rooms, over one connection.
  ///   - cursors: Per room, the date of the last chat known: newer ones come first. Rooms without one begin with what is
  ///     posted from now on.
  /// - Returns: A sequence that ends when its task is cancelled. It fails with ``MadangError/notAllowed(namespace:message:)``
  ///   for a room one may not read, with ``MadangError/refused(_:status:reason:)`` or ``MadangError/signedOut`` when the session
  ///   is over, and with ``MadangError/unreachable(host:reason:)`` if the server is not there at the beginning.
  public func watch(_ rooms: [RoomAddress], after cursors: [RoomAddress: String] = [:]) -> LiveChats {
    LiveChats(client: self, rooms: rooms, cursors: cursors)
  }
}
