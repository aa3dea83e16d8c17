import AsyncHTTPClient
import Foundation
import NIOCore
import SocketIOProtocol

extension SocketIOClient {
  /// Returns when the connection has stopped polling.
  func openPolling(connection id: Int) async throws {
    let polling = PollingTransport(http: pollingClient(), origin: dialer.address.origin, configuration: configuration)
    let packets = try await get(polling, within: TimeAmount(configuration.connectTimeout))
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
    // This client has its own backoff.
    settings.connectionPool.retryConnectionEstablishment = false
    if let proxy = configuration.proxy {
      settings.proxy = .server(
        host: proxy.host, port: proxy.port,
        authorization: proxy.credentials.map { .basic(username: $0.user, password: $0.password) })
    }
    if let secured = dialer.secured {
      settings.tlsConfiguration = secured.settings
      // Called after the TLS handshake, before any request.
      settings.http1_1ConnectionDebugInitializer = { secured.pins.check($0) }
    }
    let client = HTTPClient(eventLoopGroupProvider: .shared(loop), configuration: settings)
    http = client
    return client
  }

  /// How long to wait for the end of polling. An attempt to connect through a silent proxy cannot be cancelled, and lasts for
  /// `connectTimeout`.
  private static let longestEnd = TimeAmount.seconds(1)

  func endPolling() async {
    guard let http else { return }
    self.http = nil
    let (ending, end) = AsyncStream.makeStream(of: Void.self)
    Task {
      try? await http.shutdown()
      end.finish()
    }
    let timer = loop.scheduleTask(in: Self.longestEnd) { end.finish() }
    // A separate task is not cancelled with the one that runs the client.
    await Task { for await _ in ending {} }.value
    timer.cancel()
  }

  private func get(_ polling: PollingTransport, within time: TimeAmount) async throws -> [EnginePacket] {
    let (packets, cookies) = try await polling.get(request(within: time))
    keep(cookies)
    return packets
  }

  private func post(_ polling: PollingTransport, _ packets: [EnginePacket], within time: TimeAmount) async throws {
    keep(try await polling.post(request(within: time), packets))
  }

  private func request(within time: TimeAmount) -> PollingTransport.Request {
    PollingTransport.Request(target: target(.polling), headers: requestHeaders(), time: time)
  }

  private func keep(_ headers: [String]) {
    for header in headers { cookies.take(header, at: Date()) }
  }

  private func poll(_ polling: PollingTransport, _ open: EngineOpen, connection id: Int) async {
    let patience =
      TimeAmount.milliseconds(open.pingInterval + open.pingTimeout) + TimeAmount(configuration.connectTimeout)
    while connection?.id == id, connection?.engine.transport == .polling, connection?.isPausing == false {
      do {
        for packet in try await get(polling, within: patience) { received(packet, connection: id) }
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
          try await post(polling, packets, within: TimeAmount(configuration.connectTimeout))
        } catch {
          return fail(.lost(.transportError), connection: id)
        }
      }
      guard connection?.id == id else { return }
      connection?.isPosting = false
      completeUpgrade(connection: id)
    }
  }

  /// The packets of the next POST; `nil` if there are none, or if they must go over the WebSocket.
  private func takeBatch(_ open: EngineOpen, connection id: Int) -> [EnginePacket]? {
    // Copies only the first packets.
    guard let first = connection?.outbox.prefix(PollingTransport.maxPackets).map(\.self), connection?.id == id,
      connection?.isPausing == false, !first.isEmpty
    else { return nil }
    var count = 0
    var bytes = 0
    for packet in first {
      // Base64 makes four bytes of three; the rest is for the type and the separator.
      bytes += (packet.isBinary ? packet.data.count / 3 * 4 + 4 : packet.data.count) + 12
      if count > 0, bytes > open.maxPayload ?? .max { break }
      count += 1
    }
    connection?.outbox.removeFirst(count)
    connection?.isPosting = true
    let batch = Array(first.prefix(count))
    if batch.contains(where: { $0.kind == .pong }) { connection?.hasPong = false }
    return batch
  }
}
