import HTTPTypes
import HummingbirdCore
import Logging
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import NIOPosix
import SocketIOSupport
import Testing

@testable import SocketIOServer

@Suite("The end of an HTTP connection", .timeLimit(.minutes(5)))
struct ConnectionEndTests {
  @Sendable
  private static func answer(_ request: Request, _ channel: any Channel) async throws -> Response {
    Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: request.uri.path)))
  }

  @Test(
    "a connection ends with the answer to a request after which no other can be read, or whose client waits for the end",
    arguments: [
      "CONNECT a:1 HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n",
      "GET / HTTP/1.0\r\nHost: a\r\n", "GET http://a/ HTTP/1.0\r\nHost: a\r\n",
      "GET / HTTP/1.1\r\nHost: a\r\nConnection: TE, Close\r\n",
    ])
  func last(request: String) async throws {
    try await TestServer.with(answering: Self.answer) { server in
      let wire = try await server.wire()
      try await wire.send(Array("\(request)\r\n".utf8))
      #expect(try await wire.readAnswer().status == 200)
      #expect(await wire.readToEnd().isEmpty)
    }
  }

  @Test(
    "a client that still sends when the last answer arrives receives it without a reset", arguments: ["1.0", "1.1"])
  func early(version: String) async throws {
    try await TestServer.with(answering: Self.answer) { server in
      let wire = try await Wire.connect(server.port, keepsOpen: true)
      let head = "POST /early HTTP/\(version)\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000\r\n\r\n"
      try await wire.send(Array(head.utf8))
      #expect(try await wire.readAnswer().text == "/early")
      for _ in 0..<10 { try await wire.send(Array(repeating: 120, count: 100_000)) }
      wire.finish()
    }
  }

  @Test("HTTP/1.0 with 'keep-alive' keeps the connection")
  func keepAlive() async throws {
    try await TestServer.with(answering: Self.answer) { server in
      let wire = try await server.wire()
      for _ in 0..<2 {
        try await wire.send(Array("GET / HTTP/1.0\r\nHost: a\r\nConnection: Keep-Alive\r\n\r\n".utf8))
        #expect(try await wire.readAnswer().text == "/")
      }
    }
  }

  @Test("HEAD is answered without a body, and the next request is answered")
  func head() async throws {
    try await TestServer.with(answering: Self.answer) { server in
      let wire = try await server.wire()
      try await wire.sendRequest("HEAD", "/long")
      var lines: [String] = []
      while case let line = try await wire.readLine(), !line.isEmpty { lines.append(line) }
      #expect(lines.first == "HTTP/1.1 200 OK" && lines.contains("Content-Length: 5"), "\(lines)")
      try await wire.sendRequest("GET", "/next")
      #expect(try await wire.readLine() == "HTTP/1.1 200 OK")
    }
  }

  @Test(
    "a slow reader receives the end of the answer with which the connection ends",
    arguments: ["Connection: Upgrade\r\nUpgrade: h2c\r\n", ""])
  func slowReader(field: String) async throws {
    let (sizes, size) = AsyncStream.makeStream(of: Int.self)
    let respond: SocketIOServer.Respond = { _, connection in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          var written = 0
          // Until the kernel accepts no more: the rest is still less than would block the writer.
          repeat {
            try await writer.write(ByteBuffer(repeating: 120, count: 16_384))
            written += 16_384
          } while try connection.syncOptions?.getOption(.bufferedWritableBytes) == 0
          if field.isEmpty { connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
          try await writer.finish(nil)
          size.yield(written)
        })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.stopReading()
      try await wire.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\(field)\r\n".utf8))
      var written = 0
      for await bytes in sizes.prefix(1) { written = bytes }
      try await wire.resumeReading()
      let all = await wire.readToEnd()
      #expect(all.count(where: { $0 == 120 }) == written)
      #expect(all.suffix(5) == Array("0\r\n\r\n".utf8))
    }
  }

  /// Gives `body` the server's side of a connection whose client sends two requests, gets one answer, and keeps its side open. Returns when
  /// the server has closed the connection.
  private static func withLingering(
    lingerTimeout: Duration?, _ body: (any Channel) async throws -> Void = { _ in }
  ) async throws {
    let (channels, channel) = AsyncStream.makeStream(of: (any Channel).self)
    var http = SocketIOServer.HTTPChannelConfiguration()
    (http.lingerTimeout, http.maxPipelinedRequests) = (lingerTimeout, 1)
    let respond: SocketIOServer.Respond = { request, connection in
      channel.yield(connection)
      return try await answer(request, connection)
    }
    try await TestServer.with(http: http, answering: respond) { server in
      let wire = try await Wire.connect(server.port, keepsOpen: true)
      try await wire.send(Array("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await wire.readAnswer().text == "/1")
      for await connection in channels.prefix(1) {
        try await body(connection)
        try await connection.closeFuture.get()
      }
      wire.abort()
    }
  }

  @Test(
    "a connection that the client keeps open after the last answer, with a request, is closed after a while")
  func lingers() async throws { try await Self.withLingering(lingerTimeout: .milliseconds(300)) }

  @Test("such a client does not delay a server that stops")
  func stops() async throws {
    try await Self.withLingering(lingerTimeout: nil) { connection in
      connection.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
    }
  }

  @Test(
    "an answer that is shorter or longer than announced, or has no end, ends with the connection",
    arguments: ["abc", "abcdefgh", "abcde"])
  func wrongLength(text: String) async throws {
    let respond: SocketIOServer.Respond = { _, _ in
      Response(
        status: .ok,
        body: ResponseBody(contentLength: 5) { writer in
          for byte in text.utf8 { try await writer.write(ByteBuffer(bytes: [byte])) }
          if text.utf8.count != 5 { try await writer.finish(nil) }
        })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      while try await !wire.readLine().isEmpty {}
      #expect(await wire.readToEnd() == Array(text.utf8.prefix(5)))
    }
  }

  @Test("of pipelined requests only some may wait; those are answered, and the connection ends")
  func waitingRequests() async throws {
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.maxPipelinedRequests = 10
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    let respond: SocketIOServer.Respond = { request, connection in
      if request.uri.path == "/0" { for await _ in turns.prefix(1) {} }
      return try await Self.answer(request, connection)
    }
    try await TestServer.with(http: http, answering: respond) { server in
      let wire = try await server.wire()
      let requests = (0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }
      try await wire.send(Array(requests.joined().utf8))
      turn.yield()
      for number in 0..<10 { #expect(try await wire.readAnswer().text == "/\(number)") }
      #expect(await wire.readToEnd().isEmpty)
    }
  }

  @Test("a body that is cut off after its request was answered causes no second answer")
  func brokenBody() async throws {
    try await TestServer.with(answering: Self.answer) { server in
      let wire = try await server.wire()
      try await wire.send(Array("POST /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8))
      #expect(try await wire.readAnswer().text == "/1")
      try await wire.send(Array("zz\r\n".utf8))
      #expect(await wire.readToEnd().isEmpty)
    }
  }

  // MARK: One handler

  /// Counts reads, and takes time to close, as TLS does.
  private final class Outside: ChannelOutboundHandler {
    typealias OutboundIn = HTTPServerResponsePart
    var reads = 0

    func read(context: ChannelHandlerContext) { reads += 1 }

    func close(context: ChannelHandlerContext, mode: CloseMode, promise: EventLoopPromise<Void>?) {}
  }

  private static func embedded() throws -> (EmbeddedChannel, Outside) {
    let server = SocketIOServer(
      configuration: .changed { _ in }, eventLoopGroup: MultiThreadedEventLoopGroup.singleton, logger: .silent)
    let outside = Outside()
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandlers([outside, HTTPConnectionHandler(home: { server })])
    return (channel, outside)
  }

  private static func receive(_ channel: EmbeddedChannel, _ method: HTTPMethod, _ headers: HTTPHeaders = [:]) throws {
    try channel.writeInbound(
      HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: method, uri: "/", headers: headers)))
    try channel.writeInbound(HTTPServerRequestPart.end(nil))
  }

  @Test("nothing is read after a request at which the decoder stops, because it would be buffered without limit")
  func held() throws {
    for (method, headers, reads) in [
      (HTTPMethod.GET, HTTPHeaders(), 1), (.CONNECT, HTTPHeaders(), 0),
      (.GET, ["Connection": "Upgrade", "Upgrade": "x"], 0),
      (.GET, ["Connection": "Upgrade", "Upgrade": "websocket"], 0),
    ] {
      let (channel, outside) = try Self.embedded()
      try Self.receive(channel, method, headers)
      channel.read()
      #expect(outside.reads == reads, "\(method) \(headers)")
    }
  }

  @Test("nothing is read after such a request while the connection is closing")
  func heldInTheEnd() throws {
    let (channel, outside) = try Self.embedded()
    channel.close(promise: nil)
    try Self.receive(channel, .GET, ["Connection": "Upgrade", "Upgrade": "x"])
    channel.read()
    #expect(outside.reads == 0)
  }

  @Test(
    "a request with 'Upgrade' at which the decoder does not stop delays no other one", arguments: [false, true])
  func goesOn(asksBetween: Bool) throws {
    let (channel, outside) = try Self.embedded()
    try Self.receive(channel, .GET, ["Upgrade": "x"])
    if asksBetween { channel.read() }
    try channel.writeInbound(
      HTTPServerRequestPart.head(HTTPRequestHead(version: .http1_1, method: .POST, uri: "/")))
    if !asksBetween { channel.read() }
    #expect(outside.reads == 1)
  }

  @Test(
    "a request that arrives while the connection is closing is not executed, because its answer could not be delivered")
  func closing() throws {
    let (channel, _) = try Self.embedded()
    channel.close(promise: nil)
    try Self.receive(channel, .POST)
    #expect(try channel.readInbound(as: HTTPRequestPart.self) == nil)
  }
}
