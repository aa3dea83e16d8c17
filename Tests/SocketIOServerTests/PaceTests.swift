import NIOCore
import NIOEmbedded
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOServer

/// Reservations that are taken and released.
final class Places: Sendable {
  private let rest: Mutex<Int>

  init(_ count: Int) { rest = Mutex(count) }

  var free: Int { rest.withLock(\.self) }

  func take() -> (@Sendable () -> Void)? {
    let isFree = rest.withLock { rest in
      guard rest > 0 else { return false }
      rest -= 1
      return true
    }
    guard isFree else { return nil }
    return { self.rest.withLock { $0 += 1 } }
  }
}

@Suite("Slow connections", .timeLimit(.minutes(5)))
struct PaceTests {
  static func settings(_ pace: Int = 1 << 20) -> SocketIOServer.HTTPChannelConfiguration {
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.idleTimeout = .seconds(60)
    http.stallTimeout = .milliseconds(200)
    http.minBytesPerSecond = pace
    return http
  }

  @Test(
    "a request that arrives byte by byte is cut off, in its head or in its body",
    arguments: [
      "GET /other HTTP/1.1\r\nHost: a\r\nX-Slow: ",
      "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
      "POST /upload HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n",
    ])
  func drip(_ beginning: String) async throws {
    try await TestServer.with(http: Self.settings()) { (server) async throws in
      let wire = try await server.wire()
      try await wire.send(Array(beginning.utf8))
      let drip = Task {
        while !Task.isCancelled {
          try await wire.send(Array("1\r\nx\r\n".utf8))
          try await Task.sleep(for: .milliseconds(20))
        }
      }
      // Ends because the server closes the connection, while bytes still arrive.
      _ = await wire.readToEnd()
      drip.cancel()
      _ = await drip.result
    }
  }

  @Test("a request that keeps the pace may take its time")
  func steady() throws {
    let loop = EmbeddedEventLoop()
    let pace = PaceHandler(stallTimeout: .seconds(2), minBytesPerSecond: 20) { loop.now }
    let channel = EmbeddedChannel(handler: pace, loop: loop)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    func send(_ count: Int, times: Int) throws {
      for _ in 0..<times {
        guard channel.isActive else { return }
        try channel.writeInbound(ByteBuffer(repeating: 0x78, count: count))
        loop.advanceTime(by: .milliseconds(500))
      }
    }
    try send(10, times: 100)
    #expect(channel.isActive, "twenty bytes a second, for 50 s")
    pace.requestEnded()
    loop.advanceTime(by: .seconds(60))
    #expect(channel.isActive, "nothing is due between requests")
    try send(9, times: 100)
    #expect(!channel.isActive, "a little less than that")
  }

  @Test("a connection whose answers are not read is cut off; one that reads late, but reads, is not")
  func unread() async throws {
    let places = Places(2)
    var http = Self.settings()
    // Long enough for all requests of the second connection to arrive.
    http.stallTimeout = .seconds(2)
    http.maxPipelinedRequests = .max
    http.reserveConnection = { _ in places.take() }
    try await TestServer.with(http: http) { (server) async throws in
      let wire = try await server.wire()
      try await wire.stopReading()
      let requests = Array(String(repeating: "GET /other HTTP/1.1\r\nHost: a\r\n\r\n", count: 1000).utf8)
      let asking = Task {
        // Ends because the server closes the connection.
        while true { try await wire.send(requests) }
      }
      _ = await asking.result
      while places.free < 2 { await Task.yield() }
      let other = try await server.wire()
      try await other.stopReading()
      try await other.send(requests)
      try await Task.sleep(for: .seconds(3))
      try await other.resumeReading()
      for _ in 0..<1000 { #expect(try await other.readAnswer().status == 200) }
    }
  }

  @Test("fast input does not allow a longer silence later")
  func fastThenSilent() async throws {
    try await TestServer.with(http: Self.settings(1000)) { (server) async throws in
      let wire = try await server.wire()
      let head = "POST /upload HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n"
      // Enough bytes for a thousand seconds.
      try await wire.send(Array(head.utf8) + Array(repeating: 0x78, count: 999_999))
      _ = await wire.readToEnd()
    }
  }

  @Test("a WebSocket keeps its connection's reservation until it is closed, for any purpose")
  func webSocketPlaces() async throws {
    let places = Places(2)
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.reserveConnection = { _ in places.take() }
    let configuration = SocketIOServer.Configuration.changed { configuration in
      configuration.allowEIO3 = false
      // The refused one stays until the client closes.
      configuration.closeTimeout = .seconds(60)
    }
    try await TestServer.with(configuration, http: http) { (server) async throws in
      let webSocket = try await server.webSocket()
      // It only receives the message that its revision is not served.
      let refused = try await server.webSocket("EIO=3&transport=websocket")
      #expect(places.free == 0)
      #expect(await (try server.wire()).readToEnd().isEmpty)
      webSocket.wire.abort()
      refused.wire.abort()
      while places.free < 2 { await Task.yield() }
      #expect(try await server.wire().request("GET", "/other").status == 200)
    }
    while places.free < 2 { await Task.yield() }
  }

  @Test("a large message in transit takes a reservation, by POST and by WebSocket", arguments: [true, false])
  func messagePlaces(_ isPost: Bool) async throws {
    let places = Places(1)
    try await TestServer.with(.changed { $0.reserveMessage = { _ in places.take() } }) { (server) async throws in
      func begin() async throws -> Wire {
        if isPost {
          let client = try await EngineClient(server, .polling)
          let wire = try await server.wire()
          let target = "/socket.io/?EIO=4&transport=polling&sid=\(await client.sid)"
          let head = "POST \(target) HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n"
          try await wire.send(Array(head.utf8) + Array(repeating: 0x20, count: 40_000))
          return wire
        }
        let webSocket = try await server.webSocket()
        _ = await webSocket.text()
        try await webSocket.wire.send(
          Array(RawWebSocket.frame(0x81, Array(repeating: 0x36, count: 50_000)).prefix(40_000)))
        return webSocket.wire
      }
      let first = try await begin()
      while places.free > 0 { await Task.yield() }
      let second = try await begin()
      if isPost {
        #expect(try await second.readAnswer().status == 503)
      } else {
        #expect(await second.readToEnd().isEmpty)
      }
      first.abort()
      while places.free < 1 { await Task.yield() }
    }
  }

  @Test("a head whose letters take too long to compare is refused")
  func dearHeads() async throws {
    try await TestServer.with { (server) async throws in
      let dear = "a" + String(repeating: "\u{301}\u{323}", count: 100)
      #expect(try await server.wire().request("GET", "/other", headers: [("X-Name", dear)]).status == 400)
      #expect(try await server.wire().request("GET", "/other", headers: [("X-Name", "모임")]).status == 200)
    }
  }

  @Test("connections are counted, by the server and by the application")
  func places() async throws {
    let places = Places(2)
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.reserveConnection = { _ in places.take() }
    try await TestServer.with(http: http) { (server) async throws in
      let first = try await server.wire()
      let second = try await server.wire()
      for wire in [first, second] { #expect(try await wire.request("GET", "/other").status == 200) }
      let third = try await server.wire()
      #expect(await third.readToEnd().isEmpty)
      first.abort()
      while places.free == 0 { await Task.yield() }
      #expect(try await server.wire().request("GET", "/other").status == 200)
    }
    while places.free < 2 { await Task.yield() }
    http.reserveConnection = nil
    http.maxConnections = 1
    try await TestServer.with(http: http) { (server) async throws in
      let first = try await server.wire()
      #expect(try await first.request("GET", "/other").status == 200)
      let second = try await server.wire()
      #expect(await second.readToEnd().isEmpty)
      #expect(try await first.request("GET", "/other").status == 200)
    }
  }
}
