import HTTPTypes
import NIOCore
import NIOEmbedded
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOServer

@Suite("PROXY headers", .timeLimit(.minutes(5)))
struct ProxyHeaderTests {
  private static let signature: [UInt8] = [0x0d, 0x0a, 0x0d, 0x0a, 0x00, 0x0d, 0x0a, 0x51, 0x55, 0x49, 0x54, 0x0a]
  private static let four: [UInt8] = [203, 0, 113, 5, 192, 0, 2, 1, 0xdc, 0x04, 0x01, 0xbb]
  private static let six: [UInt8] =
    [0x20, 0x01, 0x0d, 0xb8] + Array(repeating: 0, count: 11) + [5] + [0x20, 0x01, 0x0d, 0xb8]
    + Array(repeating: 0, count: 11) + [1, 0xdc, 0x04, 0x01, 0xbb]

  private static func binary(_ command: UInt8, _ kind: UInt8, _ body: [UInt8]) -> [UInt8] {
    signature + [command, kind, UInt8(body.count >> 8), UInt8(body.count & 0xff)] + body
  }

  private static func take(_ bytes: [UInt8]) throws -> ProxyHeader? {
    var buffer = ByteBuffer(bytes: bytes)
    return try ProxyHeader.take(from: &buffer)
  }

  /// Headers, with the client's address and whether it speaks TLS.
  private static let good: [(bytes: [UInt8], client: String?, isSecure: Bool)] = [
    (Array("PROXY TCP4 203.0.113.5 192.0.2.1 56324 443\r\n".utf8), "203.0.113.5", false),
    (Array("PROXY TCP6 2001:db8::5 2001:db8::1 0 65535\r\n".utf8), "2001:db8::5", false),
    (Array("PROXY UNKNOWN\r\n".utf8), nil, false),
    (Array("PROXY UNKNOWN ffff:f...f:ffff ffff:f...f:ffff 65535 65535\r\n".utf8), nil, false),
    (binary(0x21, 0x11, four), "203.0.113.5", false), (binary(0x21, 0x21, six), "2001:db8::5", false),
    (binary(0x20, 0x11, four), nil, false), (binary(0x20, 0x00, []), nil, false), (binary(0x21, 0x00, []), nil, false),
    (binary(0x21, 0x31, Array(repeating: 0, count: 216)), nil, false),
    // A kind that is not known, then what the proxy knows of TLS.
    (binary(0x21, 0x11, four + [1, 0, 2, 0x68, 0x32, 0x20, 0, 5, 1, 0, 0, 0, 0]), "203.0.113.5", true),
    (binary(0x21, 0x11, four + [0x20, 0, 5, 0, 0, 0, 0, 0]), "203.0.113.5", false),
    // Values that are cut off say nothing.
    (binary(0x21, 0x11, four + [0x20, 0, 50, 1]), "203.0.113.5", false),
    (binary(0x21, 0x11, four + Array(repeating: 0, count: 4096 - 28)), "203.0.113.5", false),
  ]

  @Test("a whole header is taken with nothing behind it, in pieces of any length", arguments: good.indices)
  func whole(_ index: Int) throws {
    let (bytes, client, isSecure) = Self.good[index]
    for piece in [1, 2, 3, 7, bytes.count] {
      var buffer = ByteBuffer()
      var found: ProxyHeader?
      for start in stride(from: 0, to: bytes.count, by: piece) {
        try #require(found == nil)
        buffer.writeBytes(bytes[start..<min(bytes.count, start + piece)])
        if start + piece >= bytes.count { buffer.writeString("GET") }
        found = try ProxyHeader.take(from: &buffer)
      }
      let header = try #require(found)
      #expect(header.client?.ipAddress == client && header.isSecure == isSecure)
      #expect(String(buffer: buffer) == "GET")
    }
  }

  @Test(
    "anything else is refused as soon as it can be none",
    arguments: [
      "GET / HTTP/1.1\r\n", "proxy TCP4 1.2.3.4 1.2.3.4 1 1\r\n", "PROXY TCP4 203.0.113.5 192.0.2.1 56324\r\n",
      "PROXY TCP4 203.0.113.5 192.0.2.1 56324 443 x\r\n", "PROXY TCP4 2001:db8::5 192.0.2.1 1 1\r\n",
      "PROXY TCP6 203.0.113.5 192.0.2.1 1 1\r\n", "PROXY TCP4 203.0.113.5 2001:db8::1 1 1\r\n",
      "PROXY TCP4 203.0.113.5 192.0.2.1 65536 1\r\n", "PROXY TCP4 203.0.113.5 192.0.2.1 -1 1\r\n",
      "PROXY TCP4  203.0.113.5 192.0.2.1 1 1\r\n", "PROXY TCP4 203.0.113.5 192.0.2.1 1 1\n", "PROXY \r\n",
      "PROXY UDP4 203.0.113.5 192.0.2.1 1 1\r\n", "PROXY TCP4 203.0.113.500 192.0.2.1 1 1\r\n",
      "PROXY TCP4 " + String(repeating: "1", count: 107), "\r\n\r\n\0\r\nQUIX", "\u{16}\u{3}\u{1}",
    ])
  func lines(_ text: String) {
    #expect(throws: ProxyHeader.Invalid.self) { try Self.take(Array(text.utf8)) }
  }

  @Test("a binary header of another version, command or kind is refused, and so is one that is too long or too short")
  func binaries() {
    for bytes in [
      Self.binary(0x11, 0x11, Self.four), Self.binary(0x22, 0x11, Self.four), Self.binary(0x21, 0x12, Self.four),
      Self.binary(0x21, 0x41, Self.four), Self.binary(0x21, 0x11, Array(Self.four.dropLast())),
      Self.binary(0x21, 0x21, Self.four), Self.binary(0x21, 0x31, Self.six),
      Self.signature + [0x21, 0x11, 0x0f, 0xf1], Self.signature + [0x21, 0x11, 0xff, 0xff],
    ] {
      #expect(throws: ProxyHeader.Invalid.self, "\(bytes)") { try Self.take(bytes) }
    }
  }

  @Test("a request shows what the proxy says, and nothing that its client wrote in the name of a proxy")
  func fields() throws {
    var fields: HTTPFields = [.accept: "text/plain"]
    for name in ["X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded", "X-Real-IP"] {
      fields[try #require(HTTPField.Name(name))] = "forged"
    }
    try #require(try Self.take(Self.good[10].bytes)).note(in: &fields)
    #expect(
      Set(fields.map { "\($0.name.rawName): \($0.value)" }) == [
        "Accept: text/plain", "X-Forwarded-For: 203.0.113.5", "X-Forwarded-Proto: https",
      ])
    try #require(try Self.take(Self.good[2].bytes)).note(in: &fields)
    #expect(
      Set(fields.map { "\($0.name.rawName): \($0.value)" }) == [
        "Accept: text/plain", "X-Forwarded-For: unknown",
      ])
  }

  @Test(
    "a connection is counted as its client's, also as a WebSocket, and a client without a place is refused",
    arguments: TestListener.allCases)
  func places(_ listener: TestListener) async throws {
    let held = Mutex<[String: Int]>([:])
    let owners = Mutex<Set<String>>([])
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.expectsProxyHeader = { _ in true }
    http.reserveConnection = { address in
      guard let address = address?.ipAddress, address != "203.0.113.9" else { return nil }
      held.withLock { $0[address, default: 0] += 1 }
      return { held.withLock { $0[address, default: 0] -= 1 } }
    }
    let configuration = SocketIOServer.Configuration.changed {
      $0.connectionOwner = { address in
        owners.withLock { _ = $0.insert(address?.ipAddress ?? "") }
        return address?.ipAddress
      }
      $0.maxLoopPart = 0.5
    }
    try await TestServer.with(configuration, http: http, by: listener) { server in
      func connect(_ client: String, _ request: String) async throws -> Wire {
        let wire = try await server.wire()
        try await wire.send(Array("PROXY TCP4 \(client) 192.0.2.1 1 443\r\n\(request)\r\n\r\n".utf8))
        return wire
      }
      let plain = try await connect("203.0.113.5", "GET /other HTTP/1.1\r\nHost: x")
      #expect(try await plain.readLine() == "HTTP/1.1 200 OK")
      let socket = try await connect(
        "203.0.113.6",
        "GET /socket.io/?EIO=4&transport=websocket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==")
      #expect(try await socket.readLine() == "HTTP/1.1 101 Switching Protocols")
      #expect(held.withLock(\.self) == ["127.0.0.1": 2, "203.0.113.5": 1, "203.0.113.6": 1])
      #expect(owners.withLock { $0.isSuperset(of: ["203.0.113.5", "203.0.113.6"]) })
      #expect(try await connect("203.0.113.9", "GET /other HTTP/1.1\r\nHost: x").readToEnd().isEmpty)
      plain.abort()
      socket.abort()
      while held.withLock({ $0.values.contains { $0 > 0 } }) { await server.turnOfAllLoops() }
    }
  }

  @Test("the handler passes on the bytes behind the header, and closes a connection without one")
  func handler() throws {
    for piece in [1, 5, 1000] {
      var found: [ProxyHeader] = []
      let channel = EmbeddedChannel(handler: ProxyHeaderHandler { header, _ in found.append(header) })
      let bytes = Self.good[0].bytes + Array("GET / HTTP/1.1\r\n".utf8)
      for start in stride(from: 0, to: bytes.count, by: piece) {
        try channel.writeInbound(ByteBuffer(bytes: bytes[start..<min(bytes.count, start + piece)]))
      }
      var passed = ""
      while let buffer = try channel.readInbound(as: ByteBuffer.self) { passed += String(buffer: buffer) }
      #expect(passed == "GET / HTTP/1.1\r\n" && found.map { $0.client?.ipAddress } == ["203.0.113.5"])
      _ = try channel.finish()
    }
    let channel = EmbeddedChannel(handler: ProxyHeaderHandler { _, _ in Issue.record("found a header") })
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    try channel.writeInbound(ByteBuffer(string: "GET / HTTP/1.1\r\n\r\n"))
    channel.embeddedEventLoop.run()
    #expect(!channel.isActive)
    #expect(try channel.readInbound(as: ByteBuffer.self) == nil)
  }
}
