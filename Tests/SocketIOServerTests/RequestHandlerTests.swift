import HTTPTypes
import HummingbirdCore
import NIOCore
import SocketIOSupport
import Synchronization
import Testing

@testable import SocketIOServer

@Suite("Requests that are answered on the event loop", .timeLimit(.minutes(5)))
struct RequestHandlerTests {
  /// Answers with the request's body.
  @Sendable
  private static func echo(_ request: Request, _ channel: any Channel) async throws -> Response {
    var bytes = ByteBuffer()
    for try await chunk in request.body { bytes.writeImmutableBuffer(chunk) }
    return Response(status: .ok, body: ResponseBody(byteBuffer: bytes))
  }

  private static var manyRequests: SocketIOServer.HTTPChannelConfiguration {
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.maxPipelinedRequests = 10_000
    return http
  }

  /// Returns when a connection accepts no more output.
  private static func untilFull(_ connection: any Channel) async throws {
    while try await connection.eventLoop.submit({ connection.isWritable }).get() {}
  }

  @Test("requests that arrive together are answered one after the other, in order")
  func pipelined() async throws {
    let underWay = Atomic(0)
    let respond: SocketIOServer.Respond = { request, channel in
      #expect(underWay.add(1, ordering: .relaxed).newValue == 1)
      await Task.yield()
      underWay.subtract(1, ordering: .relaxed)
      return try await Self.echo(request, channel)
    }
    try await TestServer.with(http: Self.manyRequests, answering: respond) { server in
      let wire = try await server.wire()
      let requests = (0..<500).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\(100 + $0)" }
      try await wire.send(Array(requests.joined().utf8))
      for number in 0..<500 { #expect(try await wire.readAnswer().text == "\(100 + number)") }
    }
  }

  @Test("a body may arrive with its head, in pieces, in chunks, or not at all")
  func bodies() async throws {
    try await TestServer.with(answering: Self.echo) { server in
      let wire = try await server.wire()
      #expect(try await wire.request("GET", "/").text.isEmpty)
      let head = "POST / HTTP/1.1\r\nHost: a\r\n"
      try await wire.send(Array("\(head)Content-Length: 5\r\n\r\nhello".utf8))
      #expect(try await wire.readAnswer().text == "hello")
      for piece in ["\(head)Content-Length: 5\r\n\r\n", "he", "llo"] {
        try await wire.send(Array(piece.utf8))
        await server.turnOfAllLoops()
      }
      #expect(try await wire.readAnswer().text == "hello")
      try await wire.send(Array("\(head)Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n".utf8))
      #expect(try await wire.readAnswer().text == "hello")
      let large = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      #expect(try await wire.request("POST", "/", body: large).body == large)
    }
  }

  @Test("a body that is not read is dropped, and the next request is answered")
  func unread() async throws {
    let (bodies, body) = AsyncStream.makeStream(of: RequestBody.self)
    let respond: SocketIOServer.Respond = { request, _ in
      if request.uri.path == "/kept" { body.yield(request.body) }
      return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: request.uri.path)))
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.send(Array("POST /kept HTTP/1.1\r\nHost: a\r\nContent-Length: 1000000\r\n\r\n".utf8))
      #expect(try await wire.readAnswer().text == "/kept")
      try await wire.send(Array(repeating: 120, count: 1_000_000))
      try await wire.send(Array("POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n".utf8))
      #expect(try await wire.readAnswer().text == "/next")
      // A kept body receives no bytes of another request.
      try await wire.send(Array("xx".utf8))
      for await kept in bodies.prefix(1) {
        var chunks = kept.makeAsyncIterator()
        await #expect(throws: (any Error).self) { try await chunks.next() }
      }
      #expect(try await wire.request("GET", "/last").text == "/last")
    }
  }

  @Test("reading continues after many parts of a body have arrived at once")
  func manyParts() async throws {
    try await TestServer.with(answering: Self.echo) { server in
      let wire = try await server.wire()
      let chunks = String(repeating: "1\r\nx\r\n", count: 40)
      for _ in 0..<3 {
        try await wire.send(
          Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(chunks)0\r\n\r\n".utf8))
        #expect(try await wire.readAnswer().body.count == 40)
      }
    }
  }

  @Test(
    "a listener that is cancelled ends, in every state of its connections",
    arguments: [
      "", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      "POST / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx",
    ], [false, true])
  func cancelled(beginning: String, reads: Bool) async throws {
    let (begun, beginnings) = AsyncStream.makeStream(of: Void.self)
    let respond: SocketIOServer.Respond = { request, channel in
      beginnings.yield()
      guard request.method == .get else { return try await Self.echo(request, channel) }
      return Response(
        status: .ok,
        body: ResponseBody { writer in
          while true { try await writer.write(ByteBuffer(repeating: 120, count: 65_536)) }
        })
    }
    var http = SocketIOServer.HTTPChannelConfiguration()
    http.idleTimeout = nil
    let wire = Mutex<Wire?>(nil)
    try await TestServer.with(http: http, answering: respond) { server in
      let client = try await server.wire()
      if !reads { try await client.stopReading() }
      try await client.send(Array(beginning.utf8))
      if !beginning.isEmpty { for await _ in begun.prefix(1) {} }
      wire.withLock { $0 = client }
    }
    // It has ended, because `with` waits for it.
    wire.withLock { $0?.abort() }
  }

  @Test("a client that sends many requests and reads nothing is answered up to the connection's buffers")
  func greedy() async throws {
    let (count, bytes) = (2000, 65_536)
    let answered = Atomic(0)
    let (channels, channel) = AsyncStream.makeStream(of: (any Channel).self)
    let respond: SocketIOServer.Respond = { _, connection in
      if answered.add(1, ordering: .relaxed).newValue == 1 { channel.yield(connection) }
      return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 120, count: bytes)))
    }
    try await TestServer.with(http: Self.manyRequests, answering: respond) { server in
      let wire = try await server.wire()
      try await wire.stopReading()
      let requests = Array(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: count)
      try await wire.send(Array(requests.joined().utf8))
      for await connection in channels.prefix(1) { try await Self.untilFull(connection) }
      #expect(answered.load(ordering: .relaxed) < count / 2)
      try await wire.resumeReading()
      for _ in 0..<count { #expect(try await wire.readAnswer().body.count == bytes) }
    }
  }

  @Test("a body that is cut off is an error for its reader")
  func cutOff() async throws {
    let (outcomes, outcome) = AsyncStream.makeStream(of: String.self)
    let respond: SocketIOServer.Respond = { request, channel in
      outcome.yield("begun")
      do { return try await Self.echo(request, channel) } catch {
        outcome.yield("\(type(of: error))")
        throw error
      }
    }
    try await TestServer.with(answering: respond) { server in
      for closes in [true, false] {
        let wire = try await server.wire()
        try await wire.send(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nxxx".utf8))
        var iterator = outcomes.makeAsyncIterator()
        #expect(await iterator.next() == "begun")
        closes ? wire.abort() : wire.finish()
        #expect(await iterator.next() == "HTTPParserError")
      }
    }
  }

  @Test("an invalid request is answered with 400 after the answers to earlier ones")
  func garbageBehind() async throws {
    try await TestServer.with(answering: Self.echo) { server in
      let wire = try await server.wire()
      try await wire.send(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhiGARBAGE\r\n\r\n".utf8))
      #expect(try await wire.readAnswer().text == "hi")
      #expect(try await wire.readAnswer().status == 400)
      #expect(await wire.readToEnd().isEmpty)
    }
  }

  @Test("'Connection: close' and a client that ends its side get their answer, and the connection ends")
  func closes() async throws {
    try await TestServer.with(answering: Self.echo) { server in
      for ends in [false, true] {
        let wire = try await server.wire()
        let connection = ends ? "" : "Connection: close\r\n"
        try await wire.send(Array("POST / HTTP/1.1\r\nHost: a\r\n\(connection)Content-Length: 2\r\n\r\nhi".utf8))
        if ends { wire.finish() }
        #expect(try await wire.readAnswer().text == "hi")
        #expect(await wire.readToEnd().isEmpty)
      }
    }
  }

  @Test("an answer in pieces is sent as it is written, its head at once")
  func streams() async throws {
    let (turns, turn) = AsyncStream.makeStream(of: String?.self)
    let respond: SocketIOServer.Respond = { request, _ in
      Response(
        status: .ok,
        body: ResponseBody { writer in
          for await piece in turns {
            guard let piece else { break }
            try await writer.write(ByteBuffer(string: piece))
          }
          try await writer.finish(nil)
        })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.sendRequest("GET", "/")
      while try await !wire.readLine().isEmpty {}
      turn.yield("first")
      #expect(try await wire.read(10) == Array("5\r\nfirst\r\n".utf8))
      turn.yield("second")
      #expect(try await wire.read(11) == Array("6\r\nsecond\r\n".utf8))
      turn.yield(nil)
      #expect(try await wire.read(5) == Array("0\r\n\r\n".utf8))
    }
  }

  @Test("an empty piece sends the head of an answer whose body is still to come")
  func emptyPiece() async throws {
    let (turns, turn) = AsyncStream.makeStream(of: Void.self)
    let respond: SocketIOServer.Respond = { _, _ in
      Response(
        status: .ok,
        body: ResponseBody(contentLength: 5) { writer in
          try await writer.write(ByteBuffer())
          for await _ in turns.prefix(1) {}
          try await writer.write(ByteBuffer(string: "hello"))
          try await writer.finish(nil)
        })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.sendRequest("GET", "/")
      while try await !wire.readLine().isEmpty {}
      turn.yield()
      #expect(try await wire.read(5) == Array("hello".utf8))
    }
  }

  @Test("an answer that fails before its first byte has sent its head, and ends with the connection")
  func failsAtOnce() async throws {
    let respond: SocketIOServer.Respond = { _, _ in
      Response(status: .ok, body: ResponseBody(contentLength: 5) { _ in throw ChannelError.unknownLocalAddress })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.sendRequest("GET", "/")
      #expect(try await wire.readLine() == "HTTP/1.1 200 OK")
      #expect(String(decoding: await wire.readToEnd(), as: UTF8.self).hasSuffix("Content-Length: 5\r\n\r\n"))
    }
  }

  @Test("an answer waits for a client that does not read")
  func slowClient() async throws {
    let written = Atomic(0)
    let count = 400
    let (channels, channel) = AsyncStream.makeStream(of: (any Channel).self)
    let respond: SocketIOServer.Respond = { request, connection in
      channel.yield(connection)
      return Response(
        status: .ok,
        body: ResponseBody(contentLength: count * 65_536) { writer in
          for _ in 0..<count {
            try await writer.write(ByteBuffer(repeating: 120, count: 65_536))
            written.add(1, ordering: .relaxed)
          }
          try await writer.finish(nil)
        })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.stopReading()
      try await wire.sendRequest("GET", "/")
      for await connection in channels.prefix(1) { try await Self.untilFull(connection) }
      #expect(written.load(ordering: .relaxed) < count)
      try await wire.resumeReading()
      #expect(try await wire.readAnswer().body.count == count * 65_536)
    }
  }

  @Test("requests are answered on the event loop of their connection, also after an await elsewhere")
  func onLoop() async throws {
    let respond: SocketIOServer.Respond = { request, connection in
      let isThereFirst = connection.eventLoop.inEventLoop
      let elsewhere = await Task.detached { connection.eventLoop.inEventLoop }.value
      let text = "\(isThereFirst) \(elsewhere) \(connection.eventLoop.inEventLoop)"
      return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(string: text)))
    }
    try await TestServer.with(answering: respond) { server in
      let answer = try await server.wire().request("GET", "/")
      #expect(answer.text == "true false true")
    }
  }

  @Test("a body may be read, and an answer written, by a task that runs elsewhere")
  func elsewhere() async throws {
    let respond: SocketIOServer.Respond = { request, connection in
      let body = request.body
      let bytes = try await Task.detached {
        var bytes = ByteBuffer()
        for try await chunk in body { bytes.writeImmutableBuffer(chunk) }
        return bytes
      }.value
      return Response(
        status: .ok,
        body: ResponseBody(contentLength: bytes.readableBytes + 1) { writer in
          let parent = writer as? ConnectionBodyWriter
          try await Task.detached {
            try await parent?.write(bytes)
            try await parent?.write(ByteBuffer(string: "!"))
            try await parent?.finish(nil)
          }.value
        })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      let large = [UInt8](repeating: 120, count: 1_000_000)
      #expect(try await wire.request("POST", "/", body: large).body.count == 1_000_001)
      #expect(try await wire.request("POST", "/", body: large).body.count == 1_000_001)
    }
  }

  @Test(
    "a slow reader gets a whole answer in one piece, although the connection then counts as idle or ends",
    arguments: [
      "GET / HTTP/1.1\r\nHost: a\r\n", "GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n",
    ],
    [false, true])
  func slowReader(request: String, ends: Bool) async throws {
    let size = 20_000_000
    let (channels, channel) = AsyncStream.makeStream(of: (any Channel).self)
    let respond: SocketIOServer.Respond = { _, connection in
      channel.yield(connection)
      return Response(status: .ok, body: ResponseBody(byteBuffer: ByteBuffer(repeating: 120, count: size)))
    }
    var http = SocketIOServer.HTTPChannelConfiguration()
    (http.idleTimeout, http.lingerTimeout) = (.seconds(20), .seconds(20))
    try await TestServer.with(http: http, answering: respond) { server in
      let wire = try await server.wire()
      try await wire.stopReading()
      try await wire.send(Array("\(request)\r\n".utf8))
      if ends { wire.finish() }
      for await connection in channels.prefix(1) {
        try await Self.untilFull(connection)
        // Longer than the connection may be idle.
        try await connection.eventLoop.scheduleTask(in: .seconds(21)) {}.futureResult.get()
      }
      try await wire.resumeReading()
      #expect(try await wire.readAnswer().body.count == size)
    }
  }

  @Test("an answer whose client leaves ends for its writer")
  func leaves() async throws {
    let (failures, failure) = AsyncStream.makeStream(of: String.self)
    let (channels, channel) = AsyncStream.makeStream(of: (any Channel).self)
    let respond: SocketIOServer.Respond = { _, connection in
      channel.yield(connection)
      return Response(
        status: .ok,
        body: ResponseBody { writer in
          do { while true { try await writer.write(ByteBuffer(repeating: 120, count: 65_536)) } } catch {
            failure.yield("\(error)")
            throw error
          }
        })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.stopReading()
      try await wire.sendRequest("GET", "/")
      for await connection in channels.prefix(1) { try await Self.untilFull(connection) }
      wire.abort()
      var iterator = failures.makeAsyncIterator()
      #expect(await iterator.next() != nil)
    }
  }

  @Test("a thrown error is answered with 500, and the connection continues")
  func thrown() async throws {
    let respond: SocketIOServer.Respond = { request, channel in
      if request.uri.path == "/bad" { throw ChannelError.unknownLocalAddress }
      return try await Self.echo(request, channel)
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      #expect(try await wire.request("GET", "/bad").status == 500)
      #expect(try await wire.request("GET", "/good").status == 200)
    }
  }
}
