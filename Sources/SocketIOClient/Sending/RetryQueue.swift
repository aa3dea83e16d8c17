import SocketIOProtocol

/// Events of a namespace that are sent one at a time, in order, each again until it is acknowledged or its tries are used up.
///
/// It is told what happens and answers what to do; it sends nothing and reads no clock.
struct RetryQueue {
  struct Entry {
    let id: AckID
    let outgoing: Outgoing
    /// How long each try waits for the acknowledgement.
    let timeout: Duration
    var tries = 0
  }

  private var entries: [Entry] = []
  private var byteCount = 0
  /// Whether the first one was sent, and its acknowledgement may come.
  private var isUnderWay = false

  /// - Throws: ``SocketIOError/full(limit:)``.
  mutating func append(_ entry: Entry, _ limits: SocketIOClient.Configuration) throws(SocketIOError) {
    guard entries.count < limits.maxQueuedEvents else { throw .full(limit: "maxQueuedEvents") }
    guard byteCount + entry.outgoing.byteCount <= limits.maxQueuedBytes else { throw .full(limit: "maxQueuedBytes") }
    entries.append(entry)
    byteCount += entry.outgoing.byteCount
  }

  var count: Int { entries.count }

  func holds(_ id: AckID) -> Bool { entries.contains { $0.id == id } }

  /// The event to send now; nil while one is under way, or there is none. Asked only while the namespace is joined.
  mutating func next() -> Entry? {
    guard !isUnderWay, !entries.isEmpty else { return nil }
    isUnderWay = true
    entries[0].tries += 1
    return entries[0]
  }

  /// An acknowledgement came, be it that of an earlier try.
  /// - Returns: Whether it was that of the event under way, which is gone then.
  mutating func acknowledged(_ id: AckID) -> Bool {
    guard isUnderWay, entries.first?.id == id else { return false }
    remove(id)
    return true
  }

  /// No acknowledgement came in time, or the namespace is not joined any more.
  /// - Parameters:
  ///   - id: The event whose time is over; nil: whichever is under way.
  ///   - retries: How often an event is sent after its first try.
  /// - Returns: The event if that was its last try; it is gone then.
  mutating func failed(_ id: AckID?, retries: Int) -> Entry? {
    guard isUnderWay, let first = entries.first, id == nil || id == first.id else { return nil }
    isUnderWay = false
    guard first.tries > retries else { return nil }
    remove(first.id)
    return first
  }

  /// Takes an event out.
  mutating func remove(_ id: AckID) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    if index == 0 { isUnderWay = false }
    byteCount -= entries.remove(at: index).outgoing.byteCount
  }
}
