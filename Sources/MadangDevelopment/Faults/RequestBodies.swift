import HTTPTypes
import Hummingbird
import MadangServer
import NIOCore
import SocketIOProtocol

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
      body: RequestBody(asyncSequence: SlowBody(body: body, bytesPerSecond: bytesPerSecond, lease: exchange.lease)))
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
  let lease: ServerLease

  struct AsyncIterator: AsyncIteratorProtocol {
    var iterator: RequestBody.AsyncIterator
    let bytesPerSecond: Int
    let lease: ServerLease
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
      if case let pause = due - .now, pause > .zero { try await lease.pause(for: pause) }
      return piece
    }
  }

  func makeAsyncIterator() -> AsyncIterator {
    AsyncIterator(iterator: body.makeAsyncIterator(), bytesPerSecond: bytesPerSecond, lease: lease)
  }
}
