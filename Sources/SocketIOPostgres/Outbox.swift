import DequeModule
import Foundation
import Synchronization

/// What waits to be sent: putting never waits, taking neither. A thread that has nothing to do sleeps on `wakeDescriptor`.
/// What has waited for too long is dropped: an event of yesterday is worse than none.
final class Outbox: Sendable {
  typealias Instant = ContinuousClock.Instant

  struct Item: Sendable {
    let channel: String
    let message: [UInt8]
  }

  private struct State {
    var items: Deque<(item: Item, since: Instant)> = []
    var bytes = 0
    var isClosed = false
    /// Whether a byte is in the pipe already.
    var hasWoken = false

    /// Drops what came before a time, and returns how many there were.
    mutating func drop(before time: Instant) -> Int {
      let count = items.count
      while let first = items.first, first.since < time { removeFirst() }
      return count - items.count
    }

    mutating func removeFirst() { bytes -= items.removeFirst().item.message.count }
  }

  private let maxBytes: Int
  private let maxItems: Int
  private let maxAge: Duration
  private let state = Mutex(State())
  private let pipe = Pipe()

  init(maxBytes: Int, maxItems: Int, maxAge: Duration) {
    self.maxBytes = maxBytes
    self.maxItems = maxItems
    self.maxAge = maxAge
  }

  /// Readable once there is something to take, or the outbox is closed.
  var wakeDescriptor: CInt { pipe.fileHandleForReading.fileDescriptor }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Puts an item at the end, and returns how many were dropped: old ones, and the item itself when there is no room. Nothing
  /// is put nor dropped once it is closed.
  func put(_ item: Item, at now: Instant = .now) -> Int {
    let (dropped, wakes) = state.withLock { state in
      guard !state.isClosed else { return (0, false) }
      let old = state.drop(before: now - maxAge)
      guard state.items.count < maxItems, state.bytes + item.message.count <= maxBytes else {
        return (old + 1, false)
      }
      state.items.append((item, now))
      state.bytes += item.message.count
      defer { state.hasWoken = true }
      return (old, !state.hasWoken)
    }
    if wakes { wake() }
    return dropped
  }

  /// Takes items from the front as long as one more is wanted with those taken; the first one always. Returns how many
  /// old ones were dropped before, too.
  func take(
    at now: Instant = .now, while isWanted: (_ taken: [Item], _ next: Item) -> Bool
  ) -> (items: [Item], dropped: Int) {
    state.withLock { state in
      let dropped = state.drop(before: now - maxAge)
      var taken: [Item] = []
      while let next = state.items.first?.item, taken.isEmpty || isWanted(taken, next) {
        taken.append(next)
        state.removeFirst()
      }
      return (taken, dropped)
    }
  }

  /// Takes nothing more.
  func close() {
    let wakes = state.withLock { state in
      state.isClosed = true
      defer { state.hasWoken = true }
      return !state.hasWoken
    }
    if wakes { wake() }
  }

  /// Called by the thread that takes, after the descriptor was readable: the next item wakes it again.
  func slept() {
    state.withLock { state in
      guard state.hasWoken, !state.isClosed else { return }
      var byte: UInt8 = 0
      _ = read(wakeDescriptor, &byte, 1)
      state.hasWoken = false
    }
  }

  private func wake() {
    var byte: UInt8 = 0
    _ = write(pipe.fileHandleForWriting.fileDescriptor, &byte, 1)
  }
}
