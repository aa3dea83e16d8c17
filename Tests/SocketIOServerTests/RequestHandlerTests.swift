import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOPosix
import Support
import Synchronization
import Testing

@testable import SocketIOServer

@Suite("Requests that are answered on the event loop", .timeLimit(.minutes(1)))
struct RequestHandlerTests {
  /// What the body of a request came in, and what it was.
  @Sendable
  private static func echo(_ request: Request, _ channel: any Channel) async throws -> Response {
    var bytes = ByteBuffer()
    for try await chunk in request.body { bytes.writeImmutableBuffer(chunk) }
    return Response(status: .ok, body: ResponseBody(byteBuffer: bytes))
  }

  @Test("requests that come at once are answered one after the other, in order")
  func pipelined() async throws {
    let underWay = Atomic(0)
    let respond: SocketIOServer.Respond = { request, channel in
      #expect(underWay.add(1, ordering: .relaxed).newValue == 1)
      try await Task.sleep(for: .milliseconds(1))
      underWay.subtract(1, ordering: .relaxed)
      return try await Self.echo(request, channel)
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      let requests = (0..<500).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n\(100 + $0)" }
      try await wire.send(Array(requests.joined().utf8))
      for number in 0..<500 { #expect(try await wire.readAnswer().text == "\(100 + number)") }
    }
  }

  @Test("a body may come with its head, in pieces, in chunks, or not at all")
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

  @Test("a body that nobody reads is dropped, and the next request is answered")
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
      // Whoever has kept a body gets nothing of what another request brings.
      try await wire.send(Array("xx".utf8))
      for await kept in bodies.prefix(1) {
        var chunks = kept.makeAsyncIterator()
        await #expect(throws: (any Error).self) { try await chunks.next() }
      }
      #expect(try await wire.request("GET", "/last").text == "/last")
    }
  }

  @Test("reading goes on when many parts of a body have come at once")
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

  @Test("a listener that is cancelled ends, whether clients send, wait or do not read")
  func cancelled() async throws {
    let respond: SocketIOServer.Respond = { request, channel in
      guard request.method == .get else { return try await Self.echo(request, channel) }
      return Response(
        status: .ok,
        body: ResponseBody { writer in
          while true { try await writer.write(ByteBuffer(repeating: 120, count: 65_536)) }
        })
    }
    var wires: [Wire] = []
    try await TestServer.with(answering: respond) { server in
      for beginning in [
        "", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nx", "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
      ] {
        let wire = try await server.wire()
        try await wire.stopReading()
        try await wire.send(Array(beginning.utf8))
        await server.turnOfAllLoops()
        wires.append(wire)
      }
    }
    // It has ended, as `with` waits for it.
    for wire in wires { wire.abort() }
  }

  @Test("a body that is cut off is an error for whoever reads it")
  func cutOff() async throws {
    let (outcomes, outcome) = AsyncStream.makeStream(of: Bool.self)
    let respond: SocketIOServer.Respond = { request, channel in
      do { return try await Self.echo(request, channel) } catch {
        outcome.yield(error is CancellationError)
        throw error
      }
    }
    try await TestServer.with(answering: respond) { server in
      for closes in [true, false] {
        let wire = try await server.wire()
        try await wire.send(Array("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nxxx".utf8))
        await server.turnOfAllLoops()
        closes ? wire.abort() : wire.finish()
        var iterator = outcomes.makeAsyncIterator()
        #expect(await iterator.next() == false)
      }
    }
  }

  @Test("what cannot be read is answered with 400 after the answers to what came before")
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

  @Test("an answer in pieces is sent as it comes, its head at once")
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
      try await wire.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      while try await !wire.readLine().isEmpty {}
      turn.yield("first")
      #expect(try await wire.read(10) == Array("5\r\nfirst\r\n".utf8))
      turn.yield("")
      turn.yield("second")
      #expect(try await wire.read(11) == Array("6\r\nsecond\r\n".utf8))
      turn.yield(nil)
      #expect(try await wire.read(5) == Array("0\r\n\r\n".utf8))
    }
  }

  @Test("an answer that fails before its first byte has sent its head, and ends with the connection")
  func failsAtOnce() async throws {
    let respond: SocketIOServer.Respond = { _, _ in
      Response(status: .ok, body: ResponseBody(contentLength: 5) { _ in throw ChannelError.unknownLocalAddress })
    }
    try await TestServer.with(answering: respond) { server in
      let wire = try await server.wire()
      try await wire.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      #expect(try await wire.readLine() == "HTTP/1.1 200 OK")
      #expect(String(decoding: await wire.readToEnd(), as: UTF8.self).hasSuffix("Content-Length: 5\r\n\r\n"))
    }
  }

  @Test("an answer waits for a client that does not read")
  func slowClient() async throws {
    let written = Atomic(0)
    let count = 400
    let respond: SocketIOServer.Respond = { request, _ in
      Response(
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
      try await wire.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      // What the buffers of both kernels and the client's hold is less than all.
      var (last, seen) = (-1, 0)
      while last != seen || seen == 0 {
        last = seen
        for _ in 0..<50 { await server.turnOfAllLoops() }
        try await Task.sleep(for: .milliseconds(50))
        seen = written.load(ordering: .relaxed)
      }
      #expect(seen < count)
      try await wire.resumeReading()
      #expect(try await wire.readAnswer().body.count == count * 65_536)
    }
  }

  @Test("an answer whose client leaves ends for whoever writes it")
  func leaves() async throws {
    let (failures, failure) = AsyncStream.makeStream(of: String.self)
    let respond: SocketIOServer.Respond = { _, _ in
      Response(
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
      try await wire.send(Array("GET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
      await server.turnOfAllLoops()
      wire.abort()
      var iterator = failures.makeAsyncIterator()
      #expect(await iterator.next() != nil)
    }
  }

  @Test("what is thrown is answered with 500, and the connection goes on")
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
