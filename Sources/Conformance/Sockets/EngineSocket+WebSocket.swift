import NIOPosix
import SocketIOClient
import SocketIOProtocol

/// The WebSocket of a session, from the start or by an upgrade.
extension EngineSocket {
  /// How many frames may wait to be looked at; what is beyond is lost.
  private static let maxWaiting = 10_000

  func connectWebSocket() async throws {
    recordWebSocket()
    var configuration = SocketIOClient.Configuration()
    configuration.revision = handshake.revision
    configuration.tls = server.tls
    configuration.connectTimeout = server.patience
    let (events, feed) = AsyncStream.makeStream(
      of: WebSocketTransport.Event.self, bufferingPolicy: .bufferingOldest(Self.maxWaiting))
    do {
      let transport = try await WebSocketTransport.open(
        Dialer(server.address, configuration), target: Self.target(.webSocket, handshake, sid: opening.sid),
        headers: handshake.headers, on: MultiThreadedEventLoopGroup.singleton.next()
      ) { feed.yield($0) }
      webSocket = (transport, events.makeAsyncIterator())
    } catch {
      throw Violation(expected: "a WebSocket", seen: "\(error)")
    }
  }

  func nextOfWebSocket() async throws -> EnginePacket {
    guard var events = webSocket?.events else { throw Violation(expected: "a WebSocket", seen: "none") }
    let event = await events.next(isolation: self)
    webSocket?.events = events
    switch event {
    case .packet(let packet): return packet
    case .garbage: throw Violation(expected: "Engine.IO packets", seen: "another kind of frame")
    case .explanation(let failure): throw Violation(expected: "Engine.IO packets", seen: "\(failure)")
    case .closed: throw Violation(expected: "an open WebSocket", seen: "the server closed it")
    case nil: throw CancellationError()
    }
  }

  /// Opens a WebSocket for the session and has it probed; polling goes on.
  func beginUpgrade() async throws {
    upgradeStart = .now
    try await connectWebSocket()
    webSocket?.transport.send([EnginePacket(.ping, EnginePacket.probe)])
    let answer = try await within("3probe", limit: server.patience) { try await self.nextOfWebSocket() }
    guard answer == EnginePacket(.pong, EnginePacket.probe) else {
      throw Violation(expected: "3probe", seen: Self.text(answer))
    }
  }

  /// Says that the WebSocket is the transport now.
  /// - Parameter evenLate: Whether to say so 9 s after the upgrade began, too.
  /// - Throws: ``LateUpgrade`` if it is not to be said.
  func completeUpgrade(_ evenLate: Bool) throws {
    guard evenLate || ContinuousClock.now - upgradeStart < .seconds(9) else { throw LateUpgrade() }
    webSocket?.transport.send([EnginePacket(.upgrade)])
  }

  /// This client was held up during an upgrade, for which servers wait 10 s.
  private struct LateUpgrade: Error {}

  /// Tries again, up to twice, if a busy machine holds up an upgrade.
  /// - Parameter attempt: With whether it is the last one.
  static func upgrading<Value>(_ attempt: (_ isLast: Bool) async throws -> Value) async throws -> Value {
    for _ in 1...2 {
      do { return try await attempt(false) } catch is LateUpgrade {}
    }
    return try await attempt(true)
  }

  /// Ends the session.
  func close() async {
    if let webSocket {
      webSocket.transport.send([EnginePacket(.close)])
      webSocket.transport.close()
    } else {
      _ = try? await post([EnginePacket(.close)])
    }
  }
}
