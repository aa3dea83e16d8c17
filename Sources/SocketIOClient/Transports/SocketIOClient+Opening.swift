import AsyncHTTPClient
import Logging
import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  /// Opens a connection and waits for its end.
  func connectAndServe() async -> (wasOpen: Bool, failure: Failure) {
    connectionCount += 1
    let id = connectionCount
    let (ends, end) = AsyncStream.makeStream(of: Failure.self, bufferingPolicy: .bufferingOldest(1))
    connection = Connection(id: id, configuration, end: end)
    let failure = await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.open(connection: id) }
      var iterator = ends.makeAsyncIterator()
      let failure = await iterator.next(isolation: self) ?? .closed
      group.cancelAll()
      return failure
    }
    let wasOpen = connection?.wasOpened ?? true
    endConnection(failure, tellDisconnected: true)
    return (wasOpen, failure)
  }

  /// Tries one transport after another. Returns when the connection needs no task any more.
  private func open(connection id: Int) async {
    for (index, transport) in configuration.transports.enumerated() {
      guard connection?.id == id, !Task.isCancelled else { return }
      connection?.engine = EngineClientSession(revision: configuration.revision, transport: transport)
      do {
        switch transport {
        case .webSocket: try await openWebSocket(connection: id)
        case .polling: try await openPolling(connection: id)
        }
        return
      } catch {
        let failure = Failure(opening: error)
        let isLast = index == configuration.transports.count - 1
        if isLast || !failure.mayDependOnTransport { return fail(failure, connection: id) }
        logger.debug("transport failed", metadata: ["transport": "\(transport)", "reason": "\(failure)"])
      }
    }
  }

  func target(_ transport: EngineTransport) -> String {
    var items = [("EIO", "\(configuration.revision.rawValue)"), ("transport", transport.rawValue)]
    if configuration.recovery { items.append((RecoveryClaim.queryItem, "1")) }
    // Revision 3 servers answer polls in a binary form otherwise.
    if configuration.revision == .v3, transport == .polling { items.append(("b64", "1")) }
    if let sid = connection?.engine.open?.sid { items.append(("sid", sid)) }
    items += configuration.query
    return configuration.path + "?" + items.map { "\(Self.escaped($0))=\(Self.escaped($1))" }.joined(separator: "&")
  }

  // MARK: WebSocket

  private func openWebSocket(connection id: Int) async throws {
    let transport = try await webSocket(connection: id, isUpgrade: false)
    guard connection?.id == id else { return transport.close() }
    connection?.carrier = .webSocket(transport)
    watchOpening(connection: id)
    let early = connection?.early ?? []
    connection?.early = []
    for event in early { handle(event, connection: id, isUpgrade: false) }
  }

  private func webSocket(connection id: Int, isUpgrade: Bool) async throws -> WebSocketTransport {
    try await WebSocketTransport.open(
      address, target: target(.webSocket), configuration: configuration, on: loop
    ) { [weak self] event in
      self?.assumeIsolated { $0.handle(event, connection: id, isUpgrade: isUpgrade) }
    }
  }

  // MARK: Polling

  /// Returns when the connection does not poll any more.
  private func openPolling(connection id: Int) async throws {
    let polling = PollingTransport(http: pollingClient(), origin: address.origin, configuration: configuration)
    let packets = try await polling.get(target(.polling), within: TimeAmount(configuration.connectTimeout))
    guard connection?.id == id else { return }
    let (wakeups, wakeup) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    connection?.carrier = .polling(wakeup)
    for packet in packets { received(packet, connection: id) }
    guard connection?.id == id, let open = connection?.engine.open else { return }
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.poll(polling, open, connection: id) }
      group.addTask { await self.post(polling, open, wakeups, connection: id) }
      if connection?.engine.mayUpgrade == true, configuration.transports.contains(.webSocket) {
        group.addTask { await self.upgrade(connection: id) }
      }
      await group.waitForAll()
    }
  }

  private func pollingClient() -> HTTPClient {
    if let http { return http }
    var settings = HTTPClient.Configuration(redirectConfiguration: .disallow)
    settings.timeout.connect = TimeAmount(configuration.connectTimeout)
    settings.httpVersion = .http1Only
    // The client has a backoff of its own.
    settings.connectionPool.retryConnectionEstablishment = false
    let client = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: settings)
    http = client
    return client
  }

  private func poll(_ polling: PollingTransport, _ open: EngineOpen, connection id: Int) async {
    let patience =
      TimeAmount.milliseconds(open.pingInterval + open.pingTimeout) + TimeAmount(configuration.connectTimeout)
    while connection?.id == id, connection?.engine.transport == .polling, connection?.isPausing == false {
      do {
        for packet in try await polling.get(target(.polling), within: patience) { received(packet, connection: id) }
      } catch {
        return fail(.lost(.transportError), connection: id)
      }
    }
    guard connection?.id == id else { return }
    connection?.isPolling = false
    completeUpgrade(connection: id)
  }

  private func post(
    _ polling: PollingTransport, _ open: EngineOpen, _ wakeups: AsyncStream<Void>, connection id: Int
  ) async {
    for await _ in wakeups {
      while let packets = takeBatch(open, connection: id) {
        do {
          try await polling.post(target(.polling), packets, within: TimeAmount(configuration.connectTimeout))
        } catch {
          return fail(.lost(.transportError), connection: id)
        }
      }
      guard connection?.id == id else { return }
      connection?.isPosting = false
      completeUpgrade(connection: id)
    }
  }

  /// The packets of the next POST; `nil` when there are none, or they are to go by the WebSocket.
  private func takeBatch(_ open: EngineOpen, connection id: Int) -> [EnginePacket]? {
    guard let waiting = connection?.outbox, connection?.id == id, connection?.isPausing == false, !waiting.isEmpty
    else { return nil }
    var count = 0
    var bytes = 0
    for packet in waiting.prefix(PollingTransport.maxPackets) {
      // Base64 makes four bytes of three; the rest is for the type and the separator.
      bytes += (packet.isBinary ? packet.data.count / 3 * 4 + 4 : packet.data.count) + 12
      if count > 0, bytes > open.maxPayload ?? .max { break }
      count += 1
    }
    connection?.outbox.removeFirst(count)
    connection?.isPosting = true
    return Array(waiting.prefix(count))
  }

  // MARK: Upgrade

  private func upgrade(connection id: Int) async {
    do {
      let transport = try await webSocket(connection: id, isUpgrade: true)
      guard connection?.id == id, let probe = connection?.engine.upgradeOpened() else { return transport.close() }
      connection?.upgrade = transport
      transport.send([probe])
    } catch {
      logger.debug("no upgrade", metadata: ["reason": "\(Failure(opening: error))"])
    }
  }

  func receivedOnUpgrade(_ packet: EnginePacket, connection id: Int) {
    switch connection?.engine.receivedOnUpgrade(packet) {
    case .pause:
      connection?.isPausing = true
      completeUpgrade(connection: id)
    case .abandon:
      connection?.upgrade?.close()
      connection?.upgrade = nil
    case .some(.none), nil: break
    }
  }

  /// Makes the WebSocket the transport once no request is under way any more.
  private func completeUpgrade(connection id: Int) {
    guard let current = connection, current.id == id, !current.isPolling, !current.isPosting,
      let transport = current.upgrade, let packet = connection?.engine.pollReturned()
    else { return }
    if case .polling(let wakeup) = current.carrier { wakeup.finish() }
    connection?.carrier = .webSocket(transport)
    connection?.upgrade = nil
    connection?.outbox = []
    transport.send([packet] + current.outbox)
  }
}
