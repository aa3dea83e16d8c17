import SocketIOProtocol
import SocketIOSupport
import Testing

@testable import SocketIOServer

/// A WebSocket client with compression.
struct DeflatingClient {
  enum Message: Equatable {
    case text(String, isCompressed: Bool)
    case binary([UInt8], isCompressed: Bool)
    case close(Int)
    case end
  }

  let webSocket: RawWebSocket
  private let inflater: Inflater
  private let deflater: Deflater

  init(
    _ server: TestServer, _ query: String = "EIO=4&transport=websocket", offer: String = "permessage-deflate"
  ) async throws {
    inflater = try #require(Inflater())
    deflater = try #require(Deflater(level: 6, windowBits: 15))
    webSocket = try await .open(
      server.port, "/socket.io/?\(query)", headers: [("Sec-WebSocket-Extensions", offer)])
  }

  /// A client that has joined the main namespace.
  static func joined(
    _ server: TestServer, _ namespace: String = "", offer: String = "permessage-deflate"
  ) async throws -> Self {
    let client = try await Self(server, offer: offer)
    _ = await client.next()
    try await client.webSocket.send("40\(namespace)")
    _ = await client.next()
    return client
  }

  /// Sends a message compressed.
  func send(_ text: String) async throws {
    try await webSocket.sendFrame(0xc1, compressed(Array(text.utf8)))
  }

  func compressed(_ bytes: [UInt8]) throws -> [UInt8] {
    try #require(bytes.withUnsafeBytes { deflater.compress($0) })
  }

  /// The next message, which must be a text.
  func text(isCompressed: Bool) async throws -> String {
    guard case .text(let text, isCompressed) = await next() else { throw Wire.Closed() }
    return text
  }

  func next() async -> Message {
    guard let (first, payload) = await webSocket.nextFrame() else { return .end }
    if first == 0x88 { return .close(payload.count < 2 ? 0 : Int(payload[0]) << 8 | Int(payload[1])) }
    let isCompressed = first & 0x40 != 0
    guard let message = isCompressed ? try? inflater.inflate(payload, limit: 1 << 24) : payload else { return .end }
    switch first & 0xbf {
    case 0x81: return .text(String(decoding: message, as: UTF8.self), isCompressed: isCompressed)
    case 0x82: return .binary(message, isCompressed: isCompressed)
    default: return .end
    }
  }
}
