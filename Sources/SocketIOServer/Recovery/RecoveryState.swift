import DequeModule

/// The state that lets clients return to their sockets: connected sockets, recently lost sockets, and sent events.
///
/// It is driven by calls and reads no clock. All times are in milliseconds.
struct RecoveryState<Message> {
  /// A socket whose client may return.
  struct Parked {
    var namespace: String
    var id: String
    var rooms: Set<String>
    var data: SocketData
    fileprivate var joinedAt: UInt64
    fileprivate var expiry: Int64
  }

  private struct Namespace {
    var log: RecoveryLog<Message>
    /// The number of live and parked sockets.
    var users = 0
  }

  private let limits: Limits
  private var namespaces: [String: Namespace] = [:]
  private var live: [String: Live] = [:]
  private var parked: [String: Parked] = [:]
  /// In the order of parking, which is the order of expiry except for connections whose end was noticed late. Entries of clients that
  /// returned are skipped.
  private var expiries: Deque<(pid: String, expiry: Int64)> = []
  private var totalBytes = 0
  /// The data of removed sockets.
  private var forgotten: [SocketData] = []
  /// The highest number so far. A new log continues from it, so that a number of a former log is never assigned again.
  private var highest: UInt64 = 0

  init(_ limits: Limits) { self.limits = limits }

  var parkedCount: Int { parked.count }
  var isEmpty: Bool { namespaces.isEmpty }

  func remembers(_ namespace: String) -> Bool { namespaces[namespace] != nil }

  func liveSocket(_ pid: String) -> Live? { live[pid] }

  // MARK: Sockets

  mutating func joined(_ pid: String, _ id: String, in namespace: String, shard: Int) {
    namespaces[namespace, default: Namespace(log: RecoveryLog(after: highest))].users += 1
    live[pid] = Live(namespace: namespace, id: id, shard: shard, joinedAt: last(in: namespace))
  }

  /// A client left for good.
  mutating func left(_ pid: String) {
    guard let socket = live.removeValue(forKey: pid) else { return }
    release(socket.namespace)
  }

  /// A client was lost and may return.
  mutating func park(_ pid: String, rooms: Set<String>, data: SocketData, at now: Int64) {
    guard let socket = live.removeValue(forKey: pid) else { return }
    let expiry = now + limits.duration
    parked[pid] = Parked(
      namespace: socket.namespace, id: socket.id, rooms: rooms, data: data, joinedAt: socket.joinedAt, expiry: expiry)
    expiries.append((pid, expiry))
    while parked.count > limits.sessions, dropOldest() {}
    // Clients that returned leave their old entries in the queue.
    if expiries.count > 2 * limits.sessions {
      expiries.removeAll { parked[$0.pid]?.expiry != $0.expiry }
    }
  }

  /// Takes a parked socket back, with the events that it missed.
  ///
  /// - Parameters:
  ///   - offset: The number of the last event that the client received; `nil` if it received none.
  ///   - maxBytes: The most bytes that may be replayed.
  /// - Returns: `nil` if the client is unknown or too late, or if a missed event was removed.
  mutating func restore(
    _ pid: String, in namespace: String, after offset: UInt64?, shard: Int, maxBytes: Int, at now: Int64
  ) -> Restored? {
    guard let socket = parked[pid], socket.namespace == namespace, socket.expiry > now,
      let log = namespaces[namespace]?.log,
      let missed = log.missed(after: offset ?? socket.joinedAt, by: socket.id, in: socket.rooms),
      missed.reduce(0, { $0 + $1.size }) <= maxBytes
    else { return nil }
    parked[pid] = nil
    live[pid] = Live(namespace: namespace, id: socket.id, shard: shard, joinedAt: socket.joinedAt)
    return Restored(socket: socket, missed: missed.map(\.message), through: log.last)
  }

  private func parked(in target: BroadcastTarget) -> [(pid: String, socket: Parked)] {
    parked.filter { $0.value.namespace == target.namespace && target.means($0.value.id, in: $0.value.rooms) }
      .map { ($0.key, $0.value) }
  }

  /// Changes the rooms of the parked sockets that the target selects.
  mutating func changeParked(_ target: BroadcastTarget, _ change: (inout Set<String>) -> Void) {
    for (pid, var socket) in parked(in: target) {
      change(&socket.rooms)
      parked[pid] = socket
    }
  }

  /// Removes the parked sockets that the target selects.
  mutating func forgetParked(_ target: BroadcastTarget) {
    for (pid, _) in parked(in: target) { forget(pid) }
  }

  // MARK: Events

  /// Assigns a number to an event and keeps it. `nil` if no socket in the namespace could miss it.
  ///
  /// - Parameter make: Makes the message from the number.
  mutating func log(
    to target: BroadcastTarget, at now: Int64, _ make: (UInt64) -> (message: Message, size: Int, keptSize: Int)
  ) -> (message: Message, number: UInt64)? {
    guard var log = namespaces[target.namespace]?.log else { return nil }
    let (message, size, keptSize) = make(log.last + 1)
    // Takes the log out of the dictionary, so that it is changed without a copy.
    namespaces[target.namespace]?.log = RecoveryLog()
    totalBytes -= log.bytes
    log.trim(before: now - limits.maxAge)
    var limits = limits.log
    limits.bytes = max(0, min(limits.bytes, self.limits.totalBytes - totalBytes))
    log.append(message, to: target, size: size, keptSize: keptSize, at: now, limits)
    totalBytes += log.bytes
    namespaces[target.namespace]?.log = log
    highest = max(highest, log.last)
    return (message, log.last)
  }

  /// The number of the last event of a namespace, or of any namespace if no socket there could miss one.
  func last(in namespace: String) -> UInt64 { namespaces[namespace]?.log.last ?? highest }

  // MARK: Time

  /// Removes expired sockets and old events.
  mutating func sweep(at now: Int64) {
    while let first = expiries.first, first.expiry <= now || parked[first.pid]?.expiry != first.expiry {
      _ = dropOldest()
    }
    for name in namespaces.keys {
      guard var log = namespaces[name]?.log else { continue }
      namespaces[name]?.log = RecoveryLog()
      let before = log.bytes
      log.trim(before: now - limits.maxAge)
      totalBytes -= before - log.bytes
      namespaces[name]?.log = log
    }
  }

  /// Removes the first in the queue. False if it is empty.
  private mutating func dropOldest() -> Bool {
    guard let first = expiries.popFirst() else { return false }
    if parked[first.pid]?.expiry == first.expiry { forget(first.pid) }
    return true
  }

  private mutating func forget(_ pid: String) {
    guard let socket = parked.removeValue(forKey: pid) else { return }
    forgotten.append(socket.data)
    release(socket.namespace)
  }

  /// The data of sockets that were removed since the last call. Release it where application code may run.
  mutating func takeForgotten() -> [SocketData] {
    defer { forgotten = [] }
    return forgotten
  }

  private mutating func release(_ name: String) {
    guard var namespace = namespaces[name] else { return }
    namespace.users -= 1
    if namespace.users == 0 {
      totalBytes -= namespace.log.bytes
      namespaces[name] = nil
    } else {
      namespaces[name]?.users = namespace.users
    }
  }
}
