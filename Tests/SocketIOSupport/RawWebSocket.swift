/// A WebSocket client that can also violate the protocol.
package struct RawWebSocket: Sendable {
  package enum Message: Equatable, Sendable {
    case text(String)
    case binary([UInt8])
    case pong([UInt8])
    case close(Int?)
    case end
  }

  package struct Refused: Error {
    package let answer: HTTPAnswer
  }

  package let wire: Wire

  package init(wire: Wire) { self.wire = wire }

  package static let handshakeFields = [
    ("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
    ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
  ]

  /// The answer to a WebSocket request, accepted or not.
  package static func handshake(
    _ port: Int, _ target: String, headers: [(String, String)] = []
  ) async throws -> HTTPAnswer {
    try await Wire.connect(port).request("GET", target, headers: handshakeFields + headers)
  }

  /// - Throws: `Refused` if the answer is not 101.
  package static func open(
    _ port: Int, _ target: String, headers: [(String, String)] = []
  ) async throws -> RawWebSocket {
    try await RawWebSocket(wire: .connect(port)).opened(target, headers: headers)
  }

  /// Upgrades a connection that may have carried requests before.
  package func opened(_ target: String, headers: [(String, String)] = []) async throws -> RawWebSocket {
    let own = Self.handshakeFields.filter { name, _ in !headers.contains { $0.0 == name } }
    let answer = try await wire.request("GET", target, headers: own + headers)
    guard answer.status == 101 else { throw Refused(answer: answer) }
    guard answer.headers["sec-websocket-accept"] == "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" else {
      throw Refused(answer: answer)
    }
    return self
  }

  package func send(_ text: String) async throws {
    try await sendFrame(0x81, Array(text.utf8))
  }

  package func send(binary: [UInt8]) async throws {
    try await sendFrame(0x82, binary)
  }

  package func sendFrame(_ first: UInt8, _ payload: [UInt8], isMasked: Bool = true) async throws {
    try await wire.send(Self.frame(first, payload, isMasked: isMasked))
  }

  package static func frame(_ first: UInt8, _ payload: [UInt8], isMasked: Bool = true) -> [UInt8] {
    let mask: [UInt8] = [0x12, 0x34, 0x56, 0x78]
    var frame = [first]
    let bit: UInt8 = isMasked ? 0x80 : 0
    switch payload.count {
    case ...125: frame.append(bit | UInt8(payload.count))
    case ...65535: frame += [bit | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
    default:
      frame.append(bit | 127)
      frame += (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
    }
    guard isMasked else { return frame + payload }
    return frame + mask + payload.enumerated().map { $1 ^ mask[$0 & 3] }
  }

  package func next() async -> Message {
    guard let (first, payload) = await nextFrame() else { return .end }
    switch first {
    case 0x81: return .text(String(decoding: payload, as: UTF8.self))
    case 0x82: return .binary(payload)
    case 0x8a: return .pong(payload)
    case 0x88: return .close(payload.count < 2 ? nil : Int(payload[0]) << 8 | Int(payload[1]))
    default: return .end
    }
  }

  /// The first byte and the payload of the next frame of any kind; `nil` at the end.
  package func nextFrame() async -> (first: UInt8, payload: [UInt8])? {
    guard let head = try? await wire.read(2) else { return nil }
    var length = Int(head[1] & 0x7f)
    if length == 126 { length = (try? await wire.read(2).reduce(0) { $0 << 8 | Int($1) }) ?? 0 }
    if length == 127 { length = (try? await wire.read(8).reduce(0) { $0 << 8 | Int($1) }) ?? 0 }
    return (try? await wire.read(length)).map { (head[0], $0) }
  }

  /// The next text, but only if it arrives in a later read than the message before. This imitates clients that handle all messages of a
  /// read in one turn, and ask for the next message only afterwards.
  package func textOfNextRead() async -> String? {
    let text = await text()
    await wire.dropRest()
    return text
  }

  /// The next text; other messages are skipped.
  package func text() async -> String? {
    if case .text(let text) = await next() { text } else { nil }
  }
}
