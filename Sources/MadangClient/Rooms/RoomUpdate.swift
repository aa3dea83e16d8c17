import Foundation
import MadangAPI

/// How a room moved on since the update before: apply each in turn and what is on the screen is the room.
///
/// ```swift
/// for try await update in room.updates {
///   chats += update.chats
///   (pending, state) = (update.pending, update.state)
/// }
/// ```
public struct RoomUpdate: Sendable {
  /// Chats that follow all those of earlier updates, oldest first; in the first update the last page of the local history. Of a
  /// room that has never been read whole, the first chats to come are its last page, as soon as that is known.
  /// ``Room/chats(before:limit:)`` tells what was before. No update skips or repeats a chat. A slow reader gets them in several
  /// updates, a page in each.
  public let chats: [Chat]
  /// Every chat of one's own that has not appeared among the chats yet, in the order they were sent.
  public let pending: [PendingChat]
  public let state: RoomState
}

/// How a room hears of new chats.
public enum RoomState: Hashable, Sendable {
  /// Nobody runs the room: it shows what is stored here.
  case stopped
  /// Connecting for the first time since it runs, or connected and reading what was posted before. Of a long history that
  /// is read for the first time, the last page is shown, and chats are sent, while the rest is on its way.
  case connecting
  /// Everything is here, and chats come as they are posted.
  case live
  /// The connection was lost and is being opened again, or is open and what was missed meanwhile is being read.
  case interrupted(reason: String)
}

/// A chat of one's own on its way.
public struct PendingChat: Hashable, Identifiable, Sendable {
  public enum Status: Hashable, Sendable {
    /// Waits for the connection, for what was posted before, for the chats before it, or for its next attempt.
    case waiting
    /// Travels: bytes handed to the network and bytes in all; both 0 for a chat without files.
    case sending(sent: Int, total: Int)
    /// The server has it; it appears among the chats in its turn, which takes as long as what was posted before is
    /// still being read.
    case acknowledged(Chat)
    /// The server refused it, or a file cannot be read. ``Room/retry(_:)`` and ``Room/discard(_:)`` go on from here.
    case failed(MadangError)
  }

  public let id: UUID
  public let content: String
  /// Where the files lie; they are read when the chat is sent.
  public let files: [URL]
  public internal(set) var status: Status

  /// Whether it waits to be sent, or is being sent.
  public var isOnItsWay: Bool {
    switch status {
    case .waiting, .sending: true
    case .acknowledged, .failed: false
    }
  }

  /// Whether it stays until ``Room/retry(_:)`` or ``Room/discard(_:)``.
  public var hasFailed: Bool { if case .failed = status { true } else { false } }
}

/// What happens in a room: ``Room/updates``. Each iterator begins with the last page of the local history.
public struct RoomUpdates: AsyncSequence, Sendable {
  public typealias Element = RoomUpdate
  let room: Room

  public func makeAsyncIterator() -> Iterator { Iterator(room) }

  public struct Iterator: AsyncIteratorProtocol {
    private let room: Room
    private var shown: Room.Shown?
    private var signals: AsyncStream<Void>.Iterator?

    init(_ room: Room) { self.room = room }

    /// The next update; nil once the task is cancelled.
    /// - Throws: ``MadangError/file(path:reason:)`` if the local history cannot be read.
    public mutating func next() async throws -> RoomUpdate? {
      if signals == nil { signals = await room.signals().makeAsyncIterator() }
      do {
        while !Task.isCancelled {
          if let (update, shown) = try await room.update(since: shown) {
            self.shown = shown
            return update
          }
          guard await signals?.next(isolation: #isolation) != nil else { break }
        }
      } catch is CancellationError {}
      return nil
    }
  }
}
