import Foundation
import SocketIOProtocol
import SocketIOSupport
import Testing

/// How probes reach the server, and how their outcomes are written.
extension Replay {
  /// The time limit for an expected answer.
  static let patience = Duration.seconds(30)
  /// The time in which an unwanted answer must not arrive.
  static let silence = Duration.milliseconds(250)

  struct Fields {
    var request: [(String, String)] = []
    var isShown = false

    static let shown = Fields(isShown: true)
  }

  /// One request over its own connection; `nil` if it is not answered in time.
  func exchange(
    _ method: String, _ target: String, _ headers: [(String, String)] = [], _ body: [UInt8]? = nil,
    for limit: Duration = patience
  ) async throws -> HTTPAnswer? {
    let wire = try await Wire.connect(port)
    let answer = await within(limit) { try await wire.request(method, target, headers: headers, body: body) }
    wire.abort()
    return answer
  }

  func http(
    _ name: String, _ method: String, _ target: String, _ fields: Fields = Fields(), _ body: [UInt8]? = nil
  ) async throws {
    try saw(name, text(try await exchange(method, target, fields.request, body), showsFields: fields.isShown))
  }

  /// The poll that returns the packets of joining a namespace.
  func joined(_ name: String, _ target: String, _ fields: Fields = Fields()) async throws {
    try saw(name, text(try await untilWelcome(target), showsFields: fields.isShown))
  }

  /// A waiting poll is answered with the first packet, as by the reference; the rest comes with the next one.
  private func untilWelcome(_ target: String) async throws -> HTTPAnswer {
    var answer = try #require(try await exchange("GET", target))
    while answer.status == 200, !answer.text.contains("welcome") {
      answer.body += [0x1e] + (try #require(try await exchange("GET", target))).body
    }
    return answer
  }

  /// A request that must stay unanswered.
  func pending(_ name: String, _ method: String, _ target: String) async throws {
    try saw(name, text(try await exchange(method, target, for: Self.silence)))
  }

  func text(_ answer: HTTPAnswer?, showsFields: Bool = false) -> String {
    guard let answer else { return "pending ''" }
    let isCompressed = answer.headers["content-encoding"] != nil
    let body = isCompressed ? "..." : Self.escaped(answer.text)
    guard showsFields else { return "\(answer.status) '\(body)'" }
    let shown = answer.headers.filter {
      $0.key.hasPrefix("access-control-")
        || ["content-type", "cache-control", "content-encoding", "vary"].contains($0.key)
    }
    return "\(answer.status) '\(body)' " + ReferenceAnswers.text(shown.mapValues { [$0] })
  }

  private static func escaped(_ text: String) -> String {
    text.replacing("\\", with: #"\\"#).replacing("\u{1e}", with: #"\x1e"#)
  }

  /// Opens a polling session and returns the target of its requests.
  func polling(joining connect: String? = nil) async throws -> String {
    let base = "/socket.io/?EIO=4&transport=polling"
    let opening = try #require(try await exchange("GET", base))
    let target = "\(base)&sid=\(try EngineOpen(data: Array(opening.body.dropFirst())).sid)"
    if let connect {
      _ = try await exchange("POST", target, [], Array(connect.utf8))
      _ = try await untilWelcome(target)
    }
    return target
  }

  func open(_ query: String = "EIO=4&transport=websocket") async throws -> RawWebSocket {
    try await .open(port, "/socket.io/?\(query)")
  }

  /// Sends, then collects messages until the expected ones have arrived and a WebSocket ping has passed after them.
  func collect(
    _ name: String, from webSocket: RawWebSocket, _ send: [ProbeFrame] = []
  ) async throws -> [String] {
    let start = ContinuousClock.now
    for frame in send { try? await webSocket.wire.send(frame.bytes) }
    let expected = try messages(name)
    var seen: [String] = []
    var isMarked = false
    while true {
      if seen.count >= expected.count, !isMarked {
        isMarked = true
        try? await webSocket.sendFrame(0x89, ProbeFrame.mark)
      }
      let message = await within(Self.patience) { try await ProbeFrame.next(webSocket.wire) } ?? "EOF"
      if message == "WSPONG:\(ProbeFrame.markText)" { return seen }
      seen.append(message)
      if message == "EOF" { return seen }
      guard message.hasPrefix("CLOSE") else { continue }
      let endsAtOnce = expected.last == "EOF"
      let limit = endsAtOnce ? Self.patience : .milliseconds(20)
      let isOver = await within(limit) { await webSocket.wire.readToEnd().isEmpty } ?? false
      // On a busy machine, an unexpected end may be that of the server's close timeout.
      let counts = endsAtOnce || ContinuousClock.now - start < .seconds(1)
      return isOver && counts ? seen + ["EOF"] : seen
    }
  }

  func messages(_ name: String, from webSocket: RawWebSocket, _ send: [ProbeFrame] = []) async throws {
    try saw(name, ReferenceAnswers.text(try await collect(name, from: webSocket, send)))
  }

  /// Runs `body`, and waits until the number of sessions or sockets has changed by it.
  func changing(_ count: KeyPath<EchoProcess.Stats, Int>, _ body: () async throws -> Void) async throws {
    let before = try await process.stats()[keyPath: count]
    try await body()
    try await process.stats { $0[keyPath: count] != before }
  }
}

/// A WebSocket frame of a probe.
struct ProbeFrame {
  let bytes: [UInt8]

  static let markText = "mark"
  static let mark = Array(markText.utf8)

  static func text(_ text: String) -> ProbeFrame { raw(0x81, Array(text.utf8)) }
  static func binary(_ bytes: UInt8...) -> ProbeFrame { raw(0x82, bytes) }
  static func raw(_ first: UInt8, _ payload: [UInt8], isMasked: Bool = true) -> ProbeFrame {
    ProbeFrame(bytes: RawWebSocket.frame(first, payload, isMasked: isMasked))
  }

  /// The next message in the answers' form, truncated as in the answers.
  static func next(_ wire: Wire) async throws -> String {
    let head = try await wire.read(2)
    var length = Int(head[1] & 0x7f)
    if length == 126 { length = try await wire.read(2).reduce(0) { $0 << 8 | Int($1) } }
    if length == 127 { length = try await wire.read(8).reduce(0) { $0 << 8 | Int($1) } }
    let payload = try await wire.read(length)
    switch head[0] {
    case 0x81:
      let text = String(decoding: payload, as: UTF8.self)
      return String(text.replacing(/("sid":")[A-Za-z0-9_-]{20}/) { "\($0.output.1)SID" }.prefix(200))
    case 0x82: return "bin:" + payload.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    case 0x88: return close(payload)
    case 0x8a: return "WSPONG:" + String(decoding: payload, as: UTF8.self)
    default: return "?\(head[0])"
    }
  }

  private static func close(_ payload: [UInt8]) -> String {
    guard payload.count >= 2 else { return "CLOSE()" }
    let code = Int(payload[0]) << 8 | Int(payload[1])
    return payload.count == 2 ? "CLOSE(\(code))" : "CLOSE(\(code),\(String(decoding: payload[2...], as: UTF8.self)))"
  }
}
