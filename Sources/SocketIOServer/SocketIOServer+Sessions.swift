public import SocketIOProtocol

extension SocketIOServer {
  /// The open sessions of this server, each with its sockets; the newest first.
  ///
  /// - Parameter limit: The most sessions to return.
  public func sessions(limit: Int) async -> [SessionSnapshot] {
    var found: [SessionSnapshot] = []
    for shard in core.shards {
      found += await withCheckedContinuation { continuation in
        shard.enqueue { shard in
          let newest = shard.sessions.values.sorted { $0.handshake.issued > $1.handshake.issued }.prefix(limit)
          continuation.resume(returning: newest.map(SessionSnapshot.init))
        }
      }
    }
    return Array(found.sorted { $0.handshake.issued > $1.handshake.issued }.prefix(limit))
  }

  /// Ends a session and resets its connection (RST), as a network that fails. For tests of clients.
  ///
  /// - Returns: Whether this server had such a session.
  public func resetSession(_ id: String) async -> Bool {
    guard let shard = core.shard(of: id) else { return false }
    return await withCheckedContinuation { continuation in
      shard.enqueue { shard in
        let session = shard.liveSession(id)
        session?.reset()
        continuation.resume(returning: session != nil)
      }
    }
  }
}

/// The state of a session at one moment.
public struct SessionSnapshot: Sendable {
  /// It gives full access to the session.
  public let id: String
  public let handshake: Handshake
  /// Its transport at that time.
  public let transport: EngineTransport
  /// Its sockets, one for each namespace that it has joined.
  public let sockets: [SocketSnapshot]
  /// The bytes that wait to be sent to the client.
  public let waitingBytes: Int

  /// Call it on the session's event loop.
  init(_ session: Session) {
    id = session.id
    handshake = session.handshake
    transport = session.engine.transport
    sockets = session.sockets.map(SocketSnapshot.init)
    waitingBytes = session.queuedBytes + (session.link?.waitingBytes ?? 0)
  }
}
