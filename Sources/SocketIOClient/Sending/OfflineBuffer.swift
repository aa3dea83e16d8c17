import SocketIOProtocol

/// Events that wait, in order, for their namespace to be joined.
struct OfflineBuffer {
  private var kept: [Outgoing] = []
  private var byteCount = 0

  /// - Throws: ``SocketIOError/full(limit:)``, or ``SocketIOError/notConnected`` where nothing is to be kept.
  mutating func append(_ outgoing: Outgoing, _ limits: SocketIOClient.Configuration) throws(SocketIOError) {
    guard limits.maxOfflineEvents > 0 else { throw .notConnected }
    guard kept.count < limits.maxOfflineEvents else { throw .full(limit: "maxOfflineEvents") }
    guard byteCount + outgoing.byteCount <= limits.maxOfflineBytes else { throw .full(limit: "maxOfflineBytes") }
    kept.append(outgoing)
    byteCount += outgoing.byteCount
  }

  var count: Int { kept.count }

  func holds(_ id: AckID) -> Bool { kept.contains { $0.event.id == id } }

  /// Nobody waits any more for an event's acknowledgement: it is not sent either.
  mutating func remove(_ id: AckID) {
    guard let index = kept.firstIndex(where: { $0.event.id == id }) else { return }
    byteCount -= kept.remove(at: index).byteCount
  }

  mutating func takeAll() -> [Outgoing] {
    defer { self = OfflineBuffer() }
    return kept
  }
}
