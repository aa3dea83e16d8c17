import SocketIOProtocol
import SocketIOSupport
import Testing

extension Replay {
  private static let base = "/socket.io/?EIO=4&transport=polling"

  func httpHandshake() async throws {
    try await http("open polling ", "GET", Self.base, .shown)
    try await http(
      "open polling with Origin", "GET", Self.base, Fields(request: [("Origin", "http://example.com")], isShown: true))
    try await http("no trailing slash", "GET", "/socket.io?EIO=4&transport=polling")
    try await http("path prefix only (socket.iox)", "GET", "/socket.iox?EIO=4&transport=polling")
    try await http("sub path", "GET", "/socket.io/sub?EIO=4&transport=polling")
    for query in [
      "?transport=polling", "?EIO=3&transport=polling", "?EIO=abc&transport=polling", "?EIO=5&transport=polling",
      "?EIO=4",
    ] {
      try await http("GET \(query) ", "GET", "/socket.io/\(query)")
    }
    try await http("GET ?EIO=4&transport=abc", "GET", "/socket.io/?EIO=4&transport=abc", .shown)
    for query in [
      "?EIO=4&transport=constructor", "?EIO=4&transport=__proto__", "?EIO=4&transport=websocket",
      "?EIO=4&transport=polling&sid=nope", "?EIO=4&transport=polling&sid=",
      "?EIO=4&transport=polling&transport=websocket", "?", "?EIO=4&transport=polling&t=abc&chan=x%20y",
    ] {
      try await http("GET \(query) ", "GET", "/socket.io/\(query)")
    }
    for method in ["POST", "PUT", "DELETE"] { try await http("\(method) handshake", method, Self.base, Fields(), []) }
    // The answer to HEAD has no body, although it announces a length.
    let head = try await Wire.connect(port)
    try await head.sendRequest("HEAD", Self.base)
    let status = await within(Self.patience) { try await head.readLine() } ?? "pending"
    head.abort()
    try saw("HEAD handshake", "\(status.split(separator: " ").dropFirst().first ?? "") ''")
    try await http("PATCH handshake", "PATCH", Self.base, Fields(), [])
    let preflight = [
      ("Origin", "http://example.com"), ("Access-Control-Request-Method", "POST"),
      ("Access-Control-Request-Headers", "x-test"),
    ]
    try await http("OPTIONS preflight", "OPTIONS", Self.base, Fields(request: preflight, isShown: true))
    try await http("Origin with control byte", "GET", Self.base, Fields(request: [("Origin", "http://a\u{1}b")]))
    try await http("JSONP j=0", "GET", "\(Self.base)&j=0", .shown)
    let bare = try await Wire.connect(port)
    try await bare.send(Array("GET /socket.io/?EIO=4&transport=websocket HTTP/1.0\r\n\r\n".utf8))
    let answer = await within(Self.patience) { try await bare.readAnswer() }
    bare.abort()
    try saw("websocket upgrade on HTTP/1.0-like GET without headers", text(answer))
  }

  func webSocketHandshake() async throws {
    let query = "/socket.io/?EIO=4&transport=websocket"
    try await handshake("websocket ", query)
    try await handshake("no EIO", "/socket.io/?transport=websocket")
    try await handshake("EIO=3", "/socket.io/?EIO=3&transport=websocket")
    try await handshake("EIO=abc", "/socket.io/?EIO=abc&transport=websocket")
    try await handshake("transport missing", "/socket.io/?EIO=4")
    try await handshake("transport=abc", "/socket.io/?EIO=4&transport=abc")
    try await handshake("transport=polling on a websocket upgrade", Self.base)
    try await handshake("unknown sid", "\(query)&sid=nope")
    try await handshake("no key", query, ["Sec-WebSocket-Key": nil])
    try await handshake("version 12", query, ["Sec-WebSocket-Version": "12"])
    try await handshake("other path", "/other/?EIO=4&transport=websocket")
    try await handshake("no trailing slash", "/socket.io?EIO=4&transport=websocket")
    try await handshake("subprotocol asked", query, ["Sec-WebSocket-Protocol": "chat"])
    try await handshake(
      "deflate offered", query, ["Sec-WebSocket-Extensions": "permessage-deflate; client_max_window_bits"])
  }

  /// - Parameter changes: Header fields to set, or to leave out.
  private func handshake(_ name: String, _ target: String, _ changes: [String: String?] = [:]) async throws {
    let wire = try await Wire.connect(port)
    var fields = RawWebSocket.handshakeFields.filter { changes[$0.0] == nil }
    for case (let name, let value?) in changes { fields.append((name, value)) }
    let answer = await within(Self.patience) { [fields] in try await wire.request("GET", target, headers: fields) }
    guard let answer, answer.status == 101 else {
      wire.abort()
      return try saw(name, answer.map { "\($0.status) \(JSONText.quoted($0.text))" } ?? "no answer \"\"")
    }
    let messages = try await collect(name, from: RawWebSocket(wire: wire))
    wire.abort()
    try saw(name, "101 \(ReferenceAnswers.text(messages))")
  }
}
