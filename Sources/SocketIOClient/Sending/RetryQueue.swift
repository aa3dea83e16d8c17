import SocketIOProtocol

/// Events of a namespace that are sent one at a time, in order. Each is repeated until it is acknowledged or its tries are used up.
///
/// It is driven by calls and returns what to do; it sends nothing and reads no clock.
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

  /// The event to send now; nil if one is in progress, or there is none. Call it only while the namespace is joined.
  mutating func next() -> Entry? {
    guard !isUnderWay, !entries.isEmpty else { return nil }
    isUnderWay = true
    entries[0].tries += 1
    return entries[0]
  }

  /// An acknowledgement arrived, perhaps of an earlier try.
  /// - Returns: Whether it was for the event in progress, which is then removed.
  mutating func acknowledged(_ id: AckID) -> Bool {
    guard isUnderWay, entries.first?.id == id else { return false }
    remove(id)
    return true
  }

  /// No acknowledgement arrived in time, or the namespace is no longer joined.
  /// - Parameters:
  ///   - id: The event whose time is over; nil for the event in progress.
  ///   - retries: How often an event is sent after its first try.
  /// - Returns: The event, if that was its last try; then it is removed.
  mutating func failed(_ id: AckID?, retries: Int) -> Entry? {
    guard isUnderWay, let first = entries.first, id == nil || id == first.id else { return nil }
    isUnderWay = false
    guard first.tries > retries else { return nil }
    remove(first.id)
    return first
  }

  /// Removes an event.
  mutating func remove(_ id: AckID) {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
    if index == 0 { isUnderWay = false }
    byteCount -= entries.remove(at: index).outgoing.byteCount
  }
}
