import Foundation
import MadangAPI

/// The changes of a room since the previous update. Applying all updates in order shows the room.
///
/// ```swift
/// for try await update in room.updates {
///   chats += update.chats
///   (pending, state) = (update.pending, update.state)
/// }
/// ```
public struct RoomUpdate: Sendable {
  /// Chats that follow those of earlier updates, oldest first. In the first update, they are the last page of the local history. If the
  /// history was never completely read, the first chats are its last page, as soon as that is known. ``Room/chats(before:limit:)`` returns
  /// earlier chats. No update skips or repeats a chat. A slow reader gets them in several updates, a page in each.
  public let chats: [Chat]
  /// The outgoing chats that have not appeared among the chats yet, in the order in which they were sent.
  public let pending: [PendingChat]
  public let state: RoomState
}

/// How a room receives new chats.
public enum RoomState: Hashable, Sendable {
  /// The room is not running: it shows the stored chats.
  case stopped
  /// Connecting for the first time since `run()`, or connected and reading missed chats. If a long history is read for the first time, the
  /// last page is shown, and chats are sent, while the rest arrives.
  case connecting
  /// Everything is read, and chats arrive as they are posted.
  case live
  /// The connection was lost and is being reopened, or it is open and missed chats are being read.
  case interrupted(reason: String)
}

/// An outgoing chat.
public struct PendingChat: Hashable, Identifiable, Sendable {
  public enum Status: Hashable, Sendable {
    /// Waits for the connection, for missed chats, for the chats before it, or for its next attempt.
    case waiting
    /// Being sent: the bytes passed to the network and the total; both 0 for a chat without files.
    case sending(sent: Int, total: Int)
    /// The server has it. It appears among the chats in its order, after all missed chats are read.
    case acknowledged(Chat)
    /// The server refused it, or a file cannot be read. Call ``Room/retry(_:)`` or ``Room/discard(_:)``.
    case failed(MadangError)
  }

  public let id: UUID
  public let content: String
  /// The files' locations; the files are read when the chat is sent.
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

/// The updates of a room: ``Room/updates``. Each iterator begins with the last page of the local history.
public struct RoomUpdates: AsyncSequence, Sendable {
  public typealias Element = RoomUpdate
  let room: Room

  public func makeAsyncIterator() -> Iterator { Iterator(room) }

  public struct Iterator: AsyncIteratorProtocol {
    private let room: Room
    private var shown: Room.Shown?
    private var signals: AsyncStream<Void>.Iterator?

    init(_ room: Room) { self.room = room }

    /// The next update; nil after the task is cancelled.
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
