import DequeModule
import Foundation
import Synchronization

/// Messages that wait to be sent. Neither putting nor taking waits; an idle thread sleeps on `wakeDescriptor`. Messages that have waited
/// too long are dropped, because a late event is worse than none.
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
    /// Whether the pipe already contains a byte.
    var hasWoken = false

    /// Drops items that were added before a time, and returns their number.
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

  /// Readable if there is an item, or if the outbox is closed.
  var wakeDescriptor: CInt { pipe.fileHandleForReading.fileDescriptor }

  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Adds an item at the end, and returns how many were dropped: old ones, and the item itself if there is no room. After `close` it does
  /// nothing.
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

  /// Takes items from the front: always the first, and further ones while `isWanted` returns true. Also returns how many old ones were
  /// dropped before.
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

  /// Accepts no more items.
  func close() {
    let wakes = state.withLock { state in
      state.isClosed = true
      defer { state.hasWoken = true }
      return !state.hasWoken
    }
    if wakes { wake() }
  }

  /// Called by the taking thread after the descriptor was readable, so that the next item wakes it again.
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
