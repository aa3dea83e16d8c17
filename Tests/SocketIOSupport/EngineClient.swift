package import SocketIOProtocol
import Testing

/// The transport of a test's client; every scenario runs over each.
package enum Carrier: CaseIterable, Sendable {
  case polling
  case webSocket
  case upgraded
}

/// An Engine.IO 4 client that works the same over each transport.
package actor EngineClient {
  package let port: Int
  package private(set) var sid = ""
  package private(set) var webSocket: RawWebSocket?
  private var inbox: [EnginePacket] = []

  /// - Parameter query: Added to the request that opens the session.
  package init(port: Int, _ carrier: Carrier, query: String = "") async throws {
    self.port = port
    switch carrier {
    case .polling:
      try await openPolling(query)
    case .webSocket:
      let webSocket = try await RawWebSocket.open(port, "/socket.io/?EIO=4&transport=websocket\(query)")
      self.webSocket = webSocket
      sid = try EngineOpen(data: try #require(try await packet()).data).sid
    case .upgraded:
      try await openPolling(query)
      try await upgrade()
    }
  }

  private func openPolling(_ query: String) async throws {
    let answer = try await get(query)
    sid = try EngineOpen(data: Array(answer.body.dropFirst())).sid
  }

  package func upgrade() async throws {
    let webSocket = try await RawWebSocket.open(port, "/socket.io/?EIO=4&transport=websocket&sid=\(sid)")
    try await webSocket.send("2probe")
    guard await webSocket.text() == "3probe" else { throw Wire.Closed() }
    try await webSocket.send("5")
    self.webSocket = webSocket
  }

  package func get(_ query: String) async throws -> HTTPAnswer {
    let wire = try await Wire.connect(port)
    defer { wire.abort() }
    return try await wire.request("GET", "/socket.io/?EIO=4&transport=polling\(query)")
  }

  @discardableResult
  package func post(_ body: String) async throws -> HTTPAnswer {
    let wire = try await Wire.connect(port)
    defer { wire.abort() }
    return try await wire.request(
      "POST", "/socket.io/?EIO=4&transport=polling&sid=\(sid)", headers: [("Content-Type", "text/plain;charset=UTF-8")],
      body: Array(body.utf8))
  }

  /// Sends Engine.IO packets given as text; `b…` is base64.
  package func send(_ packets: String...) async throws {
    guard let webSocket else {
      try await post(packets.joined(separator: "\u{1e}"))
      return
    }
    for packet in packets { try await webSocket.send(packet) }
  }

  /// The next packet that is neither a ping nor a noop; `nil` after the end of the session.
  package func packet() async throws -> EnginePacket? {
    while true {
      while inbox.isEmpty {
        guard try await fetch() else { return nil }
      }
      let packet = inbox.removeFirst()
      switch packet.kind {
      case .ping: try await send("3")
      case .close: return nil
      case .noop: continue
      default: return packet
      }
    }
  }

  private func fetch() async throws -> Bool {
    if let webSocket {
      switch await webSocket.next() {
      case .text(let text): inbox.append(try EnginePacket(text: Array(text.utf8)[...], .v4))
      case .binary(let bytes): inbox.append(EnginePacket(binary: bytes))
      default: return false
      }
      return true
    }
    let answer = try await get("&sid=\(sid)")
    guard answer.status == 200 else { return false }
    inbox += try EnginePayload.decode(answer.body, .v4)
    return true
  }

  /// The next packet as text.
  package func text() async throws -> String? {
    try await packet().map { String(decoding: $0.encodedText(.v4), as: UTF8.self) }
  }

  /// Joins a namespace and returns the answer.
  @discardableResult
  package func join(_ namespace: String, auth: String = "") async throws -> String? {
    try await send(namespace == "/" ? "40\(auth)" : "40\(namespace),\(auth)")
    return try await text()
  }

  /// Closes the connection without a closing handshake.
  package func abort() {
    webSocket?.wire.abort()
  }
}
