import Foundation
import SocketIOProtocol
import SocketIOSupport
import Testing

/// `socketio-echo` in one of the modes for the official suites.
struct SuiteServer: Sendable {
  let port: Int
  /// Path and revision, the beginning of every query.
  let base: String
  let revision: EngineRevision

  /// The times are in milliseconds. Only tests that wait for them shorten them, so that a busy machine causes no failure.
  static func with(
    mode: String, revision: EngineRevision = .v4, pingInterval: Int = 20_000, pingTimeout: Int = 20_000,
    connectTimeout: Int = 20_000, connectPause: Int = 5,
    _ body: (SuiteServer) async throws -> Void
  ) async throws {
    let times = [
      "--ping-interval", "\(pingInterval)", "--ping-timeout", "\(pingTimeout)", "--connect-timeout",
      "\(connectTimeout)", "--connect-pause", "\(connectPause)",
    ]
    try await EchoProcess.with(["--mode", mode] + times + (revision == .v3 ? ["--eio3"] : [])) { process in
      let path = mode == "engine" ? "/engine.io/" : "/socket.io/"
      try await body(
        SuiteServer(port: process.port, base: "\(path)?EIO=\(revision.rawValue)", revision: revision))
    }
  }

  func get(_ query: String) async throws -> HTTPAnswer { try await request("GET", base + query) }

  func post(_ query: String, _ body: String, type: String = "text/plain;charset=UTF-8") async throws -> HTTPAnswer {
    try await request("POST", base + query, [("Content-Type", type)], Array(body.utf8))
  }

  func request(
    _ method: String, _ target: String, _ headers: [(String, String)] = [], _ body: [UInt8]? = nil
  ) async throws -> HTTPAnswer {
    let wire = try await Wire.connect(port)
    defer { wire.abort() }
    return try await wire.request(method, target, headers: headers, body: body)
  }

  func webSocket(_ query: String = "&transport=websocket") async throws -> RawWebSocket {
    try await .open(port, base + query)
  }

  /// Opens a polling session and returns the query of its requests.
  func polling() async throws -> String {
    let packets = try EnginePayload.decode(try await get("&transport=polling").body, revision)
    return "&transport=polling&sid=\(try EngineOpen(data: packets[0].data).sid)"
  }

  /// Opens a WebSocket session and reads its open packet.
  func opened() async throws -> RawWebSocket {
    let webSocket = try await webSocket()
    _ = try #require(await webSocket.text())
    return webSocket
  }

  /// A payload of text packets.
  func payload(_ packets: String...) -> String {
    let packets = packets.map { EnginePacket(.init(rawValue: $0.utf8.first ?? 0) ?? .noop, Array($0.utf8.dropFirst())) }
    return String(decoding: EnginePayload.encode(packets, revision), as: UTF8.self)
  }

  /// Upgrades a polling session and returns its WebSocket.
  func upgraded(_ session: String) async throws -> RawWebSocket {
    let webSocket = try await webSocket(session.replacing("polling", with: "websocket"))
    try await webSocket.send("2probe")
    #expect(await webSocket.text() == "3probe")
    try await webSocket.send("5")
    return webSocket
  }
}

extension RawWebSocket {
  /// The next text that is not a ping; pings are answered.
  func packet() async throws -> String? {
    while let text = await text() {
      guard text == "2" else { return text }
      try await send("3")
    }
    return nil
  }

  /// Whether the server closes, after any output.
  func isClosed() async -> Bool {
    while true {
      switch await next() {
      case .close, .end: return true
      default: continue
      }
    }
  }
}
