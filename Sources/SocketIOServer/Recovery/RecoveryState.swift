import DequeModule

/// What a server keeps so that clients can return to their sockets: who is connected, who left lately, and what was sent.
///
/// Feed it what happens; it reads no clock. All times in milliseconds.
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
    /// Live and parked sockets.
    var users = 0
  }

  private let limits: Limits
  private var namespaces: [String: Namespace] = [:]
  private var live: [String: Live] = [:]
  private var parked: [String: Parked] = [:]
  /// In the order of their parking: that of their expiry, but for ends that were noticed late. Ids of those that returned
  /// are skipped.
  private var expiries: Deque<(pid: String, expiry: Int64)> = []
  private var totalBytes = 0
  /// What was kept for clients that are forgotten.
  private var forgotten: [SocketData] = []
  /// The highest number given so far. A new log goes on from it, so that no event of a former log has a number that a
  /// later one gives again.
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
    // Those that returned leave their place in the line behind.
    if expiries.count > 2 * limits.sessions {
      expiries.removeAll { parked[$0.pid]?.expiry != $0.expiry }
    }
  }

  /// Takes a parked socket back, with what it missed.
  ///
  /// - Parameters:
  ///   - offset: The number of the last event its client got; `nil` when it got none.
  ///   - maxBytes: What may be replayed at most.
  /// - Returns: `nil` when the client is unknown or too late, or something it missed is forgotten.
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

  /// Changes the rooms of the parked sockets whom the target means.
  mutating func changeParked(_ target: BroadcastTarget, _ change: (inout Set<String>) -> Void) {
    for (pid, var socket) in parked(in: target) {
      change(&socket.rooms)
      parked[pid] = socket
    }
  }

  /// Forgets the parked sockets whom the target means.
  mutating func forgetParked(_ target: BroadcastTarget) {
    for (pid, _) in parked(in: target) { forget(pid) }
  }

  // MARK: Events

  /// Gives an event its number. `nil` when nobody in the namespace could miss it.
  ///
  /// - Parameter make: Makes the message out of the number.
  mutating func log(
    to target: BroadcastTarget, at now: Int64, _ make: (UInt64) -> (message: Message, size: Int, keptSize: Int)
  ) -> (message: Message, number: UInt64)? {
    guard var log = namespaces[target.namespace]?.log else { return nil }
    let (message, size, keptSize) = make(log.last + 1)
    // The dictionary gives its copy away, so that the log is changed in place.
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

  /// The number of the last event of a namespace; of any if nobody there could miss one.
  func last(in namespace: String) -> UInt64 { namespaces[namespace]?.log.last ?? highest }

  // MARK: Time

  /// Forgets who did not return in time, and what is too old.
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

  /// Drops the first in line. False when there is none.
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

  /// The data of sockets that were forgotten since the last call. It belongs to the application: let go of it where its end may
  /// call anything.
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
