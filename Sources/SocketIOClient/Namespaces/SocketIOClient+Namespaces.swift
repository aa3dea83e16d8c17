import Logging
import NIOCore
public import SocketIOProtocol

extension SocketIOClient {
  /// Joins namespaces, now or when there is a connection, and reports everything that happens in them.
  ///
  /// A namespace has only one such reader: a second call ends the former sequence. The sequence fails with
  /// ``SocketIOError/badNamespace(_:)`` at once for a name without its leading slash.
  /// - Parameter auth: A JSON object for the server, or empty.
  public func updates(in namespaces: [String], auth: [UInt8] = []) -> Updates {
    updates(in: namespaces, .payload(auth))
  }

  /// Like ``updates(in:auth:)``, but with credentials made for each connection. If making them fails, the namespace is reported as refused,
  /// and they are requested again after the backoff.
  public func updates(in namespaces: [String], credentials: @escaping Credentials) -> Updates {
    updates(in: namespaces, .credentials(credentials))
  }

  private func updates(in namespaces: [String], _ auth: Auth) -> Updates {
    let (stream, feed) = AsyncThrowingStream.makeStream(
      of: Update.self, throwing: (any Error).self,
      bufferingPolicy: .bufferingOldest(configuration.maxWaitingUpdates))
    guard !isClosed else {
      feed.finish()
      return Updates(stream: stream)
    }
    if let name = namespaces.first(where: { !$0.hasPrefix("/") }) {
      feed.finish(throwing: SocketIOError.badNamespace(name))
      return Updates(stream: stream)
    }
    feedCount += 1
    let id = feedCount
    for namespace in namespaces where memberships[namespace]?.feedID != id {
      if let former = memberships[namespace], former.feed != nil { end(former.feedID, .none) }
      // Keeps events that are queued for a namespace without a reader.
      var membership = memberships[namespace] ?? Membership(feed: nil, feedID: id, auth: auth)
      (membership.feed, membership.feedID, membership.auth) = (feed, id, auth)
      memberships[namespace] = membership
      stopAsking(namespace)
    }
    feed.onTermination = { [weak self, loop] _ in
      loop.execute { [weak self] in self?.assumeIsolated { $0.end(id, .none) } }
    }
    if connection?.engine.open != nil { namespaces.forEach(join) }
    return Updates(stream: stream)
  }

  /// Joins a namespace and waits until the server has accepted this client. It is joined again after lost connections, until ``leave(_:)``.
  /// - Parameter auth: A JSON object for the server, or empty.
  /// - Throws: ``SocketIOError/refused(_:)``, ``SocketIOError/badNamespace(_:)``, ``SocketIOError/notConnected`` if the namespace is left
  ///   or the server removes this client meanwhile, ``SocketIOError/closed`` if the client is closed before, or `CancellationError`.
  public func connect(to namespace: String = SocketPacket.mainNamespace, auth: [UInt8] = []) async throws {
    try await connect(to: namespace, .payload(auth))
  }

  /// Like `connect(to:auth:)`, with a value that encodes as a JSON object.
  /// - Throws: Also `EncodingError`, including for values that do not encode as an object.
  public func connect<Auth: Encodable>(
    to namespace: String = SocketPacket.mainNamespace, auth: Auth
  ) async throws {
    // Inside of a closure, the compiler would resolve a byte array to this function too.
    if let json = auth as? [UInt8] { return try await connect(to: namespace, .payload(json)) }
    let json = try JSONText.encoded(auth)
    guard json.first == UInt8(ascii: "{") else {
      throw EncodingError.invalidValue(auth, .init(codingPath: [], debugDescription: "it becomes no JSON object"))
    }
    try await connect(to: namespace, auth: json)
  }

  /// Like `connect(to:auth:)`, but with credentials made for each connection. If making them fails, this throws. After the server has
  /// accepted the client once, they are requested again after the backoff instead.
  public func connect(
    to namespace: String = SocketPacket.mainNamespace, credentials: @escaping Credentials
  ) async throws {
    try await connect(to: namespace, .credentials(credentials))
  }

  private func connect(to namespace: String, _ auth: Auth) async throws {
    guard !isClosed else { throw SocketIOError.closed }
    guard namespace.hasPrefix("/") else { throw SocketIOError.badNamespace(namespace) }
    feedCount += 1
    let id = feedCount
    memberships[namespace, default: Membership(feed: nil, feedID: id, auth: auth)].auth = auth
    stopAsking(namespace)
    guard connection?.socket.isJoined(namespace) != true else { return }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        joining.append(Joining(id: id, namespace: namespace, continuation: continuation))
        if connection?.engine.open != nil { join(namespace) }
        if Task.isCancelled { stopJoining(id) }
      }
    } onCancel: {
      loop.execute { self.assumeIsolated { $0.stopJoining(id) } }
    }
  }

  private func stopJoining(_ id: Int) {
    guard let index = joining.firstIndex(where: { $0.id == id }) else { return }
    joining.remove(at: index).continuation.resume(throwing: CancellationError())
  }

  func settleJoining(_ namespace: String, _ result: Result<Void, SocketIOError>) {
    let settled = joining.filter { $0.namespace == namespace }
    joining.removeAll { $0.namespace == namespace }
    for waiter in settled { waiter.continuation.resume(with: result.mapError { $0 }) }
  }

  /// Leaves a namespace. Its sequences of events end; a sequence of updates ends with its last namespace.
  public func leave(_ namespace: String) {
    guard let left = memberships[namespace] else { return }
    forget(namespace)
    if !memberships.values.contains(where: { $0.feedID == left.feedID }) { left.feed?.finish() }
  }

  /// Asks again to join a namespace that refused or removed this client.
  public func rejoin(_ namespace: String, auth: [UInt8]) {
    memberships[namespace]?.auth = .payload(auth)
    stopAsking(namespace)
    if connection?.engine.open != nil { join(namespace) }
  }

  func tell(_ namespace: String, _ kind: Update.Kind) {
    guard let membership = memberships[namespace], let feed = membership.feed else { return }
    if case .dropped = feed.yield(Update(namespace: namespace, kind: kind)) {
      end(membership.feedID, SocketIOError.tooSlow)
    }
  }

  /// Leaves the namespaces of a sequence and ends it.
  func end(_ feedID: Int, _ error: SocketIOError?) {
    for (namespace, membership) in memberships where membership.feedID == feedID && membership.feed != nil {
      forget(namespace)
      membership.feed?.finish(throwing: error)
    }
  }

  func refused(_ namespace: String, _ refusal: Refusal) {
    settleJoining(namespace, .failure(.refused(refusal)))
    tell(namespace, .refused(refusal))
    dropUnread(namespace, .refused(refusal))
  }

  /// The server has refused or removed this client from a namespace. Without a reader of updates, which could ask again, the sequences of
  /// events end.
  func dropUnread(_ namespace: String, _ error: SocketIOError?) {
    guard let membership = memberships[namespace], membership.feed == nil else { return }
    let (kept, queued) = (membership.buffer.count, membership.queue.count)
    if kept + queued > 0 {
      logger.warning(
        "events dropped",
        metadata: [
          "namespace": "\(namespace)", "kept": "\(kept)", "queued": "\(queued)",
          "reason": "\(error?.description ?? "the server removed the client")",
        ])
    }
    membership.tryTimer?.cancel()
    stopAsking(namespace)
    memberships[namespace] = nil
    forgetAcks(error ?? .notConnected) { $0.namespace == namespace }
    endListeners(namespace, error)
  }

  private func forget(_ namespace: String) {
    guard memberships.removeValue(forKey: namespace) != nil else { return }
    claims[namespace] = nil
    stopAsking(namespace)
    connection?.sockets[namespace] = nil
    _ = connection?.early.take(namespace)
    forgetAcks { $0.namespace == namespace }
    settleJoining(namespace, .failure(.notConnected))
    endListeners(namespace, nil)
    if let packet = connection?.socket.disconnect(namespace) { transmit(packet) }
  }
}
