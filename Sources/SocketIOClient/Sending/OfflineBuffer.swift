import SocketIOProtocol

/// Events that wait, in order, until their namespace is joined.
struct OfflineBuffer {
  private var kept: [Outgoing] = []
  private var byteCount = 0

  /// - Throws: ``SocketIOError/full(limit:)``, or ``SocketIOError/notConnected`` if no events may be kept.
  mutating func append(_ outgoing: Outgoing, _ limits: SocketIOClient.Configuration) throws(SocketIOError) {
    guard limits.maxOfflineEvents > 0 else { throw .notConnected }
    guard kept.count < limits.maxOfflineEvents else { throw .full(limit: "maxOfflineEvents") }
    guard byteCount + outgoing.byteCount <= limits.maxOfflineBytes else { throw .full(limit: "maxOfflineBytes") }
    kept.append(outgoing)
    byteCount += outgoing.byteCount
  }

  var count: Int { kept.count }

  func holds(_ id: AckID) -> Bool { kept.contains { $0.event.id == id } }

  /// Removes an event whose acknowledgement is not awaited any longer; it is not sent.
  mutating func remove(_ id: AckID) {
    guard let index = kept.firstIndex(where: { $0.event.id == id }) else { return }
    byteCount -= kept.remove(at: index).byteCount
  }

  mutating func takeAll() -> [Outgoing] {
    defer { self = OfflineBuffer() }
    return kept
  }
}
