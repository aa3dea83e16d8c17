import Foundation
import Logging
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

  /// Tries one transport after another. Returns when the connection needs no task any longer.
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
        let failure = Failure(opening: error, over: transport)
        let isLast = index == configuration.transports.count - 1
        if isLast || !failure.mayDependOnTransport { return fail(failure, connection: id) }
        logger.debug("transport failed", metadata: ["transport": "\(transport)", "reason": "\(failure)"])
      }
    }
  }

  func target(_ transport: EngineTransport) -> String {
    var items = [("EIO", "\(configuration.revision.rawValue)"), ("transport", transport.rawValue)]
    if configuration.recovery { items.append((RecoveryClaim.queryItem, "1")) }
    // Otherwise revision 3 servers answer polls in a binary form.
    if configuration.revision == .v3, transport == .polling { items.append(("b64", "1")) }
    if let sid = connection?.engine.open?.sid { items.append(("sid", sid)) }
    items += configuration.query
    return configuration.path + "?" + items.map { "\(Self.escaped($0))=\(Self.escaped($1))" }.joined(separator: "&")
  }

  /// The headers of a request, with cookies.
  func requestHeaders() -> [(String, String)] {
    guard let cookie = cookies.header(at: Date()) else { return configuration.headers }
    // RFC 6265 section 5.4 allows one Cookie header.
    let own = configuration.headers.filter { $0.0.lowercased() == "cookie" }.map(\.1)
    return configuration.headers.filter { $0.0.lowercased() != "cookie" }
      + [("Cookie", (own + [cookie]).joined(separator: "; "))]
  }

  private func openWebSocket(connection id: Int) async throws {
    let transport = try await webSocket(connection: id, isUpgrade: false)
    guard connection?.id == id else { return transport.close() }
    connection?.carrier = .webSocket(transport)
    watchOpening(connection: id)
    let events = connection?.beforeHandover ?? []
    connection?.beforeHandover = []
    for event in events { handle(event, connection: id, isUpgrade: false) }
  }

  func webSocket(connection id: Int, isUpgrade: Bool) async throws -> WebSocketTransport {
    try await WebSocketTransport.open(
      dialer, target: target(.webSocket), headers: requestHeaders(), on: loop
    ) { [weak self] event in
      self?.assumeIsolated { $0.handle(event, connection: id, isUpgrade: isUpgrade) }
    }
  }
}
