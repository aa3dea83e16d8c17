import HTTPTypes
import Hummingbird
import MadangServer
import NIOCore
import SocketIOProtocol
import SocketIOServer

extension Exchange {
  /// The request with its body read, and the body as JSON; only the request if the body is none, or too long for rules.
  func withBody(of request: Request) async throws -> (Request, JSONValue?) {
    let limit = FaultRule.Limits.requestBody
    guard let length = request.headers[.contentLength].flatMap({ Int($0) }), (1...limit).contains(length) else {
      return (request, nil)
    }
    let bytes = try await request.body.collect(upTo: limit)
    return (Request(head: request.head, body: RequestBody(buffer: bytes)), JSONValue(Array(bytes.readableBytesView)))
  }
}

extension Request {
  /// The request with a body that the server takes at this speed.
  func slowed(to bytesPerSecond: Int, _ exchange: Exchange) async -> Request {
    try? await exchange.channel.setOption(.socketOption(.so_rcvbuf), value: SlowBody.systemBuffer).get()
    return Request(
      head: head,
      body: RequestBody(asyncSequence: SlowBody(body: body, bytesPerSecond: bytesPerSecond, exchange: exchange)))
  }

  /// The request whose connection is reset when the server takes more than these bytes of the body, at the latest before its last byte. One
  /// without a body is unchanged.
  func cut(after bytes: Int, _ channel: any Channel) -> Request {
    let most = headers[.contentLength].flatMap { Int($0) }.map { max(0, $0 - 1) } ?? bytes
    return Request(
      head: head, body: RequestBody(asyncSequence: CutBody(body: body, left: min(bytes, most), channel: channel)))
  }
}

/// The body of a request up to a byte, at which the connection is reset.
private struct CutBody: AsyncSequence, Sendable {
  let body: RequestBody
  let left: Int
  let channel: any Channel

  struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: RequestBody.AsyncIterator
    var left: Int
    let channel: any Channel
    /// Whether more has come than may be taken.
    var isFull = false

    mutating func next() async throws -> ByteBuffer? {
      if !isFull {
        guard var bytes = try await iterator.next() else { return nil }
        let part = bytes.readSlice(length: Swift.min(left, bytes.readableBytes)) ?? ByteBuffer()
        left -= part.readableBytes
        isFull = bytes.readableBytes > 0
        if part.readableBytes > 0 { return part }
      }
      try? await channel.reset().get()
      throw ChannelError.inputClosed
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: body.makeAsyncIterator(), left: left, channel: channel)
  }
}

/// The body of a request, piece by piece with pauses.
private struct SlowBody: AsyncSequence, Sendable {
  /// How many bytes the system may receive before the server reads them: by itself it would take megabytes. With less than a segment of the
  /// loopback network, TCP waits for its timers.
  static let systemBuffer: SocketOptionValue = 131_072
  static let piecesPerSecond = 50

  let body: RequestBody
  let bytesPerSecond: Int
  let exchange: Exchange

  struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: RequestBody.AsyncIterator
    let bytesPerSecond: Int
    let exchange: Exchange
    var rest = ByteBuffer()
    var taken = 0
    let begun = ContinuousClock.now

    mutating func next() async throws -> ByteBuffer? {
      if rest.readableBytes == 0 {
        guard let bytes = try await iterator.next() else { return nil }
        rest = bytes
      }
      let size = Swift.max(1, bytesPerSecond / SlowBody.piecesPerSecond)
      let piece = rest.readSlice(length: Swift.min(size, rest.readableBytes)) ?? ByteBuffer()
      taken += piece.readableBytes
      let due = begun + .seconds(Double(taken) / Double(bytesPerSecond))
      // What is left of a connection that has ended is read at once.
      if case let pause = due - .now, pause > .zero, exchange.channel.isActive {
        do { try await exchange.lease.pause(for: pause) } catch {
          // A reset has ended the request. The server would answer that the body is broken.
          try? await exchange.channel.close()
          throw error
        }
      }
      return piece
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: body.makeAsyncIterator(), bytesPerSecond: bytesPerSecond, exchange: exchange)
  }
}
