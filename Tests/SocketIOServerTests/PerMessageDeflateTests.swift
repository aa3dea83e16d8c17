import HTTPTypes
import NIOCore
import SocketIOProtocol
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOServer

@Suite("permessage-deflate", .timeLimit(.minutes(5)))
struct PerMessageDeflateTests {
  private static let on = SocketIOServer.Configuration.changed { $0.perMessageDeflate = .init() }
  private static let long = String(repeating: "Grüße, 안녕! ", count: 200)
  private static var argument: SocketArguments { SocketArguments([Array("\"\(long)\"".utf8)]) }

  @Test("compression is off unless it is set, and is not used for clients that do not offer it")
  func off() async throws {
    #expect(SocketIOServer.Configuration().perMessageDeflate == nil)
    let offer = [("Sec-WebSocket-Extensions", "permessage-deflate")]
    let target = "/socket.io/?EIO=4&transport=websocket"
    try await TestServer.with { server in
      let answer = try await RawWebSocket.handshake(server.port, target, headers: offer)
      #expect(answer.status == 101 && answer.headers["sec-websocket-extensions"] == nil)
    }
    try await TestServer.with(Self.on) { server in
      let answer = try await RawWebSocket.handshake(server.port, target, headers: offer)
      #expect(
        answer.headers["sec-websocket-extensions"]
          == "permessage-deflate; server_no_context_takeover; client_no_context_takeover")
      let client = try await EngineClient(server, .webSocket)
      try await client.join("/")
      server.server.emit("e", Self.argument, to: .init(namespace: "/"))
      #expect(try await client.text() == #"42["e","\#(Self.long)"]"#)
      try await client.webSocket?.sendFrame(0xc1, [0])
      #expect(await client.webSocket?.next() == .close(1002))
      let broken = try await RawWebSocket.handshake(
        server.port, target, headers: [("Sec-WebSocket-Extensions", "permessage-deflate;")])
      #expect(broken.status == 400 && broken.text == "Invalid Sec-WebSocket-Extensions header")
    }
  }

  @Test("an application can neither add nor remove the compression header")
  func fields() async throws {
    let configuration = SocketIOServer.Configuration.changed {
      $0.responseFields = { _ in [.secWebSocketExtensions: "x"] }
    }
    try await TestServer.with(configuration) { server in
      let answer = try await RawWebSocket.handshake(server.port, "/socket.io/?EIO=4&transport=websocket")
      #expect(answer.headers["sec-websocket-extensions"] == nil)
    }
  }

  @Test("messages and attachments are compressed in both directions")
  func bothWays() async throws {
    try await TestServer.with(Self.on) { server in
      let client = try await DeflatingClient.joined(server)
      try await client.send(#"421["echo","\#(Self.long)"]"#)
      #expect(await client.next() == .text(#"431["\#(Self.long)"]"#, isCompressed: true))
      try await client.webSocket.send(#"42["echo","short"]"#)
      #expect(await client.next() == .text(#"42["echo-back","short"]"#, isCompressed: false))
      let attachment = Array(repeating: UInt8(9), count: 30_000)
      try await client.webSocket.send(#"451-2["echo",{"_placeholder":true,"num":0}]"#)
      let pieces = try client.compressed(attachment)
      try await client.webSocket.sendFrame(0x42, Array(pieces[..<5]))
      try await client.webSocket.sendFrame(0x80, Array(pieces[5...]))
      #expect(await client.next() == .text(#"461-2[{"_placeholder":true,"num":0}]"#, isCompressed: false))
      #expect(await client.next() == .binary(attachment, isCompressed: true))
    }
  }

  @Test("clients of Engine.IO 3 have compression too, with the type in front of binary messages")
  func revision3() async throws {
    try await TestServer.with(Self.on) { server in
      let client = try await DeflatingClient(server, "EIO=3&transport=websocket")
      _ = try await client.text(isCompressed: false)
      #expect(await client.next() == .text("40", isCompressed: false))
      let attachment = Array(repeating: UInt8(9), count: 30_000)
      let event = SocketArguments([Array(#"{"_placeholder":true,"num":0}"#.utf8)], attachments: [attachment])
      server.server.emit("e", event, to: .init(namespace: "/"))
      #expect(await client.next() == .text(#"451-["e",{"_placeholder":true,"num":0}]"#, isCompressed: false))
      #expect(await client.next() == .binary([4] + attachment, isCompressed: true))
    }
  }

  @Test("a session that began with polling has compression after its upgrade")
  func upgraded() async throws {
    try await TestServer.with(Self.on) { server in
      let polling = try await EngineClient(server, .polling)
      try await polling.join("/")
      server.server.emit("e", Self.argument, to: .init(namespace: "/"))
      #expect(try await polling.text() == #"42["e","\#(Self.long)"]"#)
      let client = try await DeflatingClient(server, "EIO=4&transport=websocket&sid=\(await polling.sid)")
      try await client.webSocket.send("2probe")
      #expect(await client.next() == .text("3probe", isCompressed: false))
      // Waits for the upgrade.
      server.server.emit("e", Self.argument, to: .init(namespace: "/"))
      try await client.webSocket.send("5")
      #expect(await client.next() == .text(#"42["e","\#(Self.long)"]"#, isCompressed: true))
    }
  }

  @Test("messages sent with compress: false are not compressed")
  func compressFalse() async throws {
    let configuration = SocketIOServer.Configuration.changed {
      $0.perMessageDeflate = .init()
      $0.perMessageDeflate?.threshold = 0
    }
    try await TestServer.with(configuration) { server in
      var handlers = NamespaceHandlers()
      handlers.on("go") { socket, _ in
        socket.emit("a", Self.argument)
        socket.emit("b", Self.argument, compress: false)
        try? socket.emit("c", Self.long, compress: false)
        socket.broadcast("d", Self.argument, compress: false)
        try? socket.broadcast("e", Self.long)
        Task {
          _ = try? await socket.emit("f", Self.argument, timeout: .seconds(30), compress: false)
          server.server.emit("g", Self.argument, to: .init(namespace: "/plain", compress: false))
          server.server.emit("h", Self.argument, to: .init(namespace: "/plain"))
        }
      }
      server.server.namespace("/plain", configure: handlers)
      func member() async throws -> DeflatingClient {
        let client = try await DeflatingClient(server)
        _ = await client.next()
        try await client.webSocket.send("40/plain,")
        _ = await client.next()
        return client
      }
      let one = try await member()
      let other = try await member()
      try await one.webSocket.send(#"42/plain,["go"]"#)
      func event(_ name: String, id: String = "") -> String { #"42/plain,\#(id)["\#(name)","\#(Self.long)"]"# }
      for (name, isCompressed) in [("a", true), ("b", false), ("c", false)] {
        #expect(await one.next() == .text(event(name), isCompressed: isCompressed))
      }
      #expect(await one.next() == .text(event("f", id: "0"), isCompressed: false))
      try await one.webSocket.send("43/plain,0[]")
      for (name, isCompressed) in [("d", false), ("e", true), ("g", false), ("h", true)] {
        #expect(await other.next() == .text(event(name), isCompressed: isCompressed))
      }
    }
  }

  @Test("a broadcast is compressed once for all clients on all loops")
  func once() async throws {
    try await TestServer.with(Self.on) { server in
      var clients: [DeflatingClient] = []
      for _ in 0..<12 { clients.append(try await .joined(server)) }
      let plain = try await EngineClient(server, .webSocket)
      try await plain.join("/")
      for number in 1...3 {
        server.server.emit("e", Self.argument, to: .init(namespace: "/"))
        for client in clients {
          #expect(await client.next() == .text(#"42["e","\#(Self.long)"]"#, isCompressed: true))
        }
        #expect(try await plain.text() == #"42["e","\#(Self.long)"]"#)
        #expect(try await Self.compressedMessages(server) == number)
      }
      server.server.emit("e", Self.argument, to: .init(namespace: "/", compress: false))
      for client in clients { _ = await client.next() }
      #expect(try await Self.compressedMessages(server) == 3)
    }
  }

  /// How many messages the compressors of all loops have processed.
  private static func compressedMessages(_ server: TestServer) async throws -> Int {
    var sum = 0
    for shard in server.server.core.shards {
      sum += try await shard.loop.submit { shard.deflateStreams?.deflater.messages ?? 0 }.get()
    }
    return sum
  }

  @Test("a client with a smaller window receives messages that fit into it compressed")
  func smallWindow() async throws {
    try await TestServer.with(Self.on) { server in
      let client = try await DeflatingClient.joined(server, offer: "permessage-deflate; server_max_window_bits=12")
      for (count, isCompressed) in [(4000, true), (5000, false)] {
        let text = String(repeating: "x", count: count)
        server.server.emit("e", SocketArguments([Array("\"\(text)\"".utf8)]), to: .init(namespace: "/"))
        #expect(await client.next() == .text(#"42["e","\#(text)"]"#, isCompressed: isCompressed))
      }
    }
  }

  @Test("lost events are replayed compressed, and count with their compressed form")
  func recovery() async throws {
    let configuration = SocketIOServer.Configuration.changed {
      $0.perMessageDeflate = .init()
      $0.recovery = .init()
      $0.recovery?.offsets = .always
    }
    try await TestServer.with(configuration) { server in
      let first = try await DeflatingClient(server)
      _ = await first.next()
      try await first.webSocket.send("40")
      let answer = try await first.text(isCompressed: false)
      let pid = try #require(answer.split(separator: #""pid":""#).last?.split(separator: "\"").first)
      server.server.emit("e", Self.argument, to: .init(namespace: "/"))
      let event = try await first.text(isCompressed: true)
      let offset = try #require(event.split(separator: "\"").dropLast().last)
      first.webSocket.wire.abort()
      #expect(await server.settles(sessions: 0))
      server.server.emit("missed", Self.argument, to: .init(namespace: "/"))
      let second = try await DeflatingClient(server)
      _ = await second.next()
      try await second.webSocket.send(#"40{"pid":"\#(pid)","offset":"\#(offset)"}"#)
      _ = await second.next()
      let missed = try await second.text(isCompressed: true)
      #expect(missed.hasPrefix(#"42["missed","Grüße"#))
    }
  }

  private static let violations: [(bytes: [UInt8], code: Int)] = [
    (RawWebSocket.frame(0xc9, []), 1002), (RawWebSocket.frame(0xca, []), 1002), (RawWebSocket.frame(0xc8, []), 1002),
    (RawWebSocket.frame(0xc0, [0]), 1002),
    (RawWebSocket.frame(0x41, [0]) + RawWebSocket.frame(0xc0, [0]), 1002),
    (RawWebSocket.frame(0xe1, [0]), 1002), (RawWebSocket.frame(0xd1, [0]), 1002),
    (RawWebSocket.frame(0xc1, []), 1007), (RawWebSocket.frame(0xc1, [0xff]), 1007),
    // A stored block: `4` and half a character.
    (RawWebSocket.frame(0xc1, [0, 2, 0, 0xfd, 0xff, 0x34, 0xc3, 0]), 1007),
    ([0xc1, 0xff, 0, 0, 0, 0, 0, 0x10, 0, 0, 1, 2, 3, 4], 1009),
  ]

  @Test("violations of RFC 7692 close with their code", arguments: violations)
  func breaks(bytes: [UInt8], code: Int) async throws {
    try await TestServer.with(Self.on) { server in
      let client = try await DeflatingClient.joined(server)
      try await client.webSocket.wire.send(bytes)
      #expect(await client.next() == .close(code))
      #expect(await server.settles(sessions: 0))
    }
  }

  @Test("a compression bomb is closed with 1009, its loop inflates no more than allowed, and others notice nothing")
  func bomb() async throws {
    try await TestServer.with(
      .changed {
        $0.perMessageDeflate = .init()
        $0.maxHTTPBufferSize = 5000
      }
    ) { server in
      let other = try await DeflatingClient.joined(server)
      let client = try await DeflatingClient.joined(server)
      let bomb = try client.compressed(Array(repeating: UInt8(ascii: "4"), count: 4_000_000))
      #expect(bomb.count < 5000)
      try await client.webSocket.sendFrame(0xc1, bomb)
      #expect(await client.next() == .close(1009))
      var produced = 0
      for shard in server.server.core.shards {
        produced += try await shard.loop.submit { shard.deflateStreams?.inflater.produced ?? 0 }.get()
      }
      #expect(produced == 5001)
      try await other.send(#"421["echo","\#(String(repeating: "x", count: 4000))"]"#)
      _ = try await other.text(isCompressed: true)
      #expect(await server.settles(sessions: 1))
    }
  }

  @Test("waiting attachments need a reservation, and their total bytes are limited", arguments: [true, false])
  func waitingAttachments(_ hasRoom: Bool) async throws {
    let taken = Rooms()
    try await TestServer.with(
      .changed {
        $0.perMessageDeflate = .init()
        $0.maxAttachmentBytes = 4_000_000
        $0.reserveMessage = { _ in
          taken.count.add(1, ordering: .relaxed)
          guard hasRoom else { return nil }
          return { taken.count.subtract(1, ordering: .relaxed) }
        }
      }
    ) { server in
      let client = try await DeflatingClient.joined(server)
      let million = RawWebSocket.frame(0xc2, try client.compressed(Array(repeating: 1, count: 1_000_000)))
      try await client.webSocket.send(#"459-["x"]"#)
      try await client.webSocket.wire.send(million)
      if hasRoom {
        try await client.webSocket.sendFrame(0x89, [])
        #expect(await client.webSocket.next() == .pong([]))
        for _ in 0..<3 { try await client.webSocket.wire.send(million) }
        try await client.webSocket.sendFrame(0x89, [])
        #expect(await client.webSocket.next() == .pong([]))
        #expect(taken.count.load(ordering: .relaxed) == 1)
        try await client.webSocket.wire.send(million)
      }
      #expect(await server.settles(sessions: 0))
      // A session ends a moment before its reservations are released.
      let deadline = ContinuousClock.now + .seconds(30)
      while taken.count.load(ordering: .relaxed) != (hasRoom ? 0 : 1), ContinuousClock.now < deadline {
        try await Task.sleep(for: .milliseconds(5))
      }
      #expect(taken.count.load(ordering: .relaxed) == (hasRoom ? 0 : 1))
    }
  }

  private final class Rooms: Sendable {
    let count = Atomic(0)
  }

  @Test("compression releases its memory with the server")
  func memory() async throws {
    final class Streams: Sendable {
      nonisolated(unsafe) weak var first: DeflateStreams?
    }
    let kept = Streams()
    try await TestServer.with(Self.on) { server in
      let client = try await DeflatingClient.joined(server)
      try await client.send(#"421["echo","\#(Self.long)"]"#)
      _ = await client.next()
      for shard in server.server.core.shards {
        try await shard.loop.submit { if let streams = shard.deflateStreams { kept.first = streams } }.get()
      }
      #expect(kept.first != nil)
      client.webSocket.wire.abort()
      #expect(await server.settles(sessions: 0))
    }
    let deadline = ContinuousClock.now + .seconds(30)
    while kept.first != nil, ContinuousClock.now < deadline { try await Task.sleep(for: .milliseconds(5)) }
    #expect(kept.first == nil)
  }
}
