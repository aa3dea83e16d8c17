import NIOHTTP1
import SocketIOClient
import SocketIOProtocol

/// An Engine.IO session of either revision over any transport, that says single packets and hears single packets.
actor EngineSocket {
  enum Carrier: String, CaseIterable, Sendable {
    case polling
    case webSocket = "web-socket"
    case upgraded
  }

  /// What goes with the requests of a session.
  struct Handshake: Sendable {
    var revision = EngineRevision.v4
    /// Query items besides the protocol's, with a leading `&`.
    var query = ""
    var headers: [(String, String)] = []
  }

  let server: ServerUnderTest
  let handshake: Handshake
  private(set) var opening = EngineOpen(sid: "", upgrades: [], pingInterval: 1, pingTimeout: 1, maxPayload: nil)
  /// When an upgrade began.
  var upgradeStart = ContinuousClock.now
  var webSocket: (transport: WebSocketTransport, events: AsyncStream<WebSocketTransport.Event>.Iterator)?
  private var inbox: [EnginePacket] = []
  /// What a WebSocket sent, and with which tokens it joined rooms: for evidence.
  private var sent: [String] = []
  private var tokens: Set<String> = []
  private var reader = SocketPacketReader(maxAttachments: 10)

  private init(_ server: ServerUnderTest, _ handshake: Handshake) {
    (self.server, self.handshake) = (server, handshake)
  }

  /// Opens a session, and upgrades it if asked to.
  static func open(
    _ server: ServerUnderTest, _ carrier: Carrier, _ handshake: Handshake = Handshake()
  ) async throws -> EngineSocket {
    switch carrier {
    case .polling:
      let socket = EngineSocket(server, handshake)
      try await socket.openPolling()
      return socket
    case .webSocket:
      let socket = EngineSocket(server, handshake)
      try await socket.openWebSocket()
      return socket
    case .upgraded:
      return try await upgrading { isLast in
        let socket = EngineSocket(server, handshake)
        try await socket.openPolling()
        try await socket.beginUpgrade()
        do { try await socket.completeUpgrade(isLast) } catch {
          await socket.close()
          throw error
        }
        return socket
      }
    }
  }

  /// The path and query of a session's requests.
  static func target(_ transport: EngineTransport, _ handshake: Handshake, sid: String = "") -> String {
    "/socket.io/?EIO=\(handshake.revision.rawValue)&transport=\(transport.rawValue)"
      // Without it, old servers answer in a binary form.
      + (handshake.revision == .v3 ? "&b64=1" : "") + (sid.isEmpty ? "" : "&sid=\(sid)") + handshake.query
  }

  private func openPolling() async throws {
    inbox = try await poll()
    try takeOpening()
  }

  private func openWebSocket() async throws {
    try await connectWebSocket()
    inbox = [try await within("an open packet", limit: server.patience) { try await self.nextOfWebSocket() }]
    try takeOpening()
  }

  private func takeOpening() throws {
    guard let first = inbox.first, first.kind == .open, let opening = try? EngineOpen(data: first.data) else {
      throw Violation(expected: "an open packet", seen: inbox.first.map(Self.text) ?? "nothing")
    }
    inbox.removeFirst()
    self.opening = opening
  }

  // MARK: Packets

  /// The packets of one poll.
  func poll() async throws -> [EnginePacket] {
    let answer = try await request(.GET, nil)
    guard answer.status == 200 else { throw Violation(expected: "a poll answered 200", seen: answer.description) }
    do { return try EnginePayload.decode(answer.body, handshake.revision) } catch {
      throw Violation(expected: "packets of Engine.IO \(handshake.revision.rawValue)", seen: answer.description)
    }
  }

  @discardableResult
  func post(_ packets: [EnginePacket]) async throws -> Answer {
    let answer = try await request(.POST, EnginePayload.encode(packets, handshake.revision))
    guard answer.status == 200, answer.text == "ok" else {
      throw Violation(expected: "a POST answered 200 and 'ok'", seen: answer.description)
    }
    return answer
  }

  private func request(_ method: HTTPMethod, _ body: [UInt8]?) async throws -> Answer {
    try await server.send(
      method, Self.target(.polling, handshake, sid: opening.sid), headers: handshake.headers,
      body.map { .bytes($0, type: "text/plain;charset=UTF-8") } ?? .none, hasSession: true,
      // Who waits for a packet gives up first, so that silence always has the same evidence.
      limit: server.patience + .seconds(10))
  }

  func send(_ packets: [EnginePacket]) async throws {
    guard let webSocket else {
      try await post(packets)
      return
    }
    sent += packets.filter { $0.kind != .pong }.map {
      String(decoding: $0.encodedText(handshake.revision), as: UTF8.self)
    }
    recordWebSocket()
    webSocket.transport.send(packets)
  }

  /// Keeps what would open a WebSocket like this one.
  func recordWebSocket() {
    let target = Self.target(.webSocket, handshake)
    server.requests.add(
      Request(method: .GET, url: server.url + target, headers: handshake.headers, body: .none, packets: sent))
  }

  func remember(token: String) { tokens.insert(token) }

  /// Whether an account whose token joined a room has posted a chat.
  var isOfAuthor: Bool { tokens.contains { server.requests.hasPosted(ownerOf: $0) } }

  func send(_ packet: SocketPacket) async throws { try await send(packet.messages()) }

  /// The next packet that is neither a ping, which is answered, nor a noop.
  func next(_ expected: String) async throws -> EnginePacket {
    try await within(expected, limit: server.patience) { try await self.nextPacket() }
  }

  private func nextPacket() async throws -> EnginePacket {
    while true {
      while inbox.isEmpty { inbox += webSocket == nil ? try await poll() : [try await nextOfWebSocket()] }
      let packet = inbox.removeFirst()
      switch packet.kind {
      case .ping: try await send([EnginePacket(.pong)])
      case .noop: continue
      case .close: throw Violation(expected: "an open session", seen: "the server closed it")
      default: return packet
      }
    }
  }

  /// The next packet, whatever it is.
  /// - Parameter limit: Nil for the server's patience.
  func nextOfAnyKind(within limit: Duration? = nil, _ expected: String) async throws -> EnginePacket {
    try await within(expected, limit: limit ?? server.patience) { try await self.nextRaw() }
  }

  private func nextRaw() async throws -> EnginePacket {
    while inbox.isEmpty { inbox += webSocket == nil ? try await poll() : [try await nextOfWebSocket()] }
    return inbox.removeFirst()
  }

  /// The next Socket.IO packet.
  func nextMessage(_ expected: String) async throws -> SocketPacket {
    while true {
      let packet = try await next(expected)
      guard packet.kind == .message else { continue }
      do {
        if let message = try reader.received(packet) { return message }
      } catch {
        throw Violation(expected: expected, seen: "'\(Self.text(packet))', which is not a Socket.IO packet")
      }
    }
  }

  nonisolated static func text(_ packet: EnginePacket) -> String {
    String(decoding: packet.encodedText(.v4), as: UTF8.self).shortened
  }
}
