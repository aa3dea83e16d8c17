import DequeModule

/// The events of a namespace that a returning client may have missed, numbered. Bounded in count, bytes and age.
struct RecoveryLog<Message> {
  struct Limits {
    var packets: Int
    var bytes: Int
  }

  private struct Entry {
    let message: Message
    let target: BroadcastTarget
    /// The size that is sent to a client that missed it.
    let size: Int
    /// The memory that it takes.
    let keptSize: Int
    let loggedAt: Int64
  }

  private var entries: Deque<Entry> = []
  private(set) var bytes = 0
  /// The number of the last event; the next event gets the following number.
  private(set) var last: UInt64

  /// - Parameter last: The number before the first event's.
  init(after last: UInt64 = 0) { self.last = last }

  var count: Int { entries.count }

  mutating func append(
    _ message: Message, to target: BroadcastTarget, size: Int, keptSize: Int, at now: Int64, _ limits: Limits
  ) {
    last += 1
    entries.append(Entry(message: message, target: target, size: size, keptSize: keptSize, loggedAt: now))
    bytes += keptSize
    while entries.count > limits.packets || bytes > limits.bytes { dropFirst() }
  }

  /// Removes events older than this time.
  mutating func trim(before time: Int64) {
    while let first = entries.first, first.loggedAt < time { dropFirst() }
  }

  private mutating func dropFirst() {
    guard let first = entries.popFirst() else { return }
    bytes -= first.keptSize
  }

  /// The events that a socket missed since the event with this number; `nil` if some of them may have been removed, or the number was never
  /// assigned.
  func missed(after number: UInt64, by id: String, in rooms: Set<String>) -> [(message: Message, size: Int)]? {
    let forgotten = last - UInt64(entries.count)
    guard number >= forgotten, number <= last else { return nil }
    return entries.dropFirst(Int(number - forgotten)).filter { $0.target.means(id, in: rooms) }
      .map { ($0.message, $0.size) }
  }
}
