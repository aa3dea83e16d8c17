import HTTPTypes
import Hummingbird
import MadangServer
import NIOCore

extension Response {
  /// This response with its connection closed after some bytes of the body, at the latest before its last byte; the head
  /// has the full length.
  func cut(after bytes: Int, _ channel: any Channel) -> Response {
    let most = body.contentLength.map { max(0, $0 - 1) } ?? bytes
    return disturbed { CuttingWriter(parent: $0, channel: channel, left: min(bytes, most)) }
  }

  /// This response with its body in pieces of some bytes, and a pause before each piece except the first.
  func dripping(_ bytes: Int, every pause: Duration, _ exchange: Exchange) -> Response {
    disturbed { DrippingWriter(parent: $0, exchange: exchange, size: bytes, pause: pause) }
  }

  /// This response without the last byte of its body, so that an object or array is invalid JSON. An empty body becomes
  /// `{`.
  var withoutLastByte: Response {
    var response = self
    let whole = body
    if whole.contentLength == 0 {
      response.body = ResponseBody(byteBuffer: ByteBuffer(string: "{"))
    } else {
      response.body = ResponseBody(contentLength: whole.contentLength.map { $0 - 1 }) { writer in
        try await whole.write(ShorteningWriter(parent: writer))
      }
    }
    return response
  }

  private func disturbed(
    _ writer: @escaping @Sendable (any ResponseBodyWriter) -> any ResponseBodyWriter
  ) -> Response {
    var response = self
    let whole = body
    response.body = ResponseBody(contentLength: whole.contentLength) { try await whole.write(writer($0)) }
    return response
  }
}

/// Ends the answer and its connection.
private struct AnswerCut: Error {}

private struct CuttingWriter: ResponseBodyWriter {
  var parent: any ResponseBodyWriter
  let channel: any Channel
  var left: Int

  mutating func write(_ buffer: ByteBuffer) async throws {
    var buffer = buffer
    if let part = buffer.readSlice(length: min(left, buffer.readableBytes)) {
      left -= part.readableBytes
      try await parent.write(part)
    }
    if left == 0 { try await end() }
  }

  /// An answer without a length is cut before its end marker.
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {
    // Sends the head, even of an answer without a body.
    try await parent.write(ByteBuffer())
    try await end()
  }

  /// Closing discards unsent bytes.
  private func end() async throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while ContinuousClock.now < deadline, channel.isActive,
      try await channel.getOption(.bufferedWritableBytes).get() > 0
    {
      try await Task.sleep(for: .milliseconds(1))
    }
    try await channel.close()
    throw AnswerCut()
  }
}

private struct DrippingWriter: ResponseBodyWriter {
  var parent: any ResponseBodyWriter
  let exchange: Exchange
  let size: Int
  let pause: Duration
  var hasBegun = false

  mutating func write(_ buffer: ByteBuffer) async throws {
    var buffer = buffer
    while buffer.readableBytes > 0, let piece = buffer.readSlice(length: min(size, buffer.readableBytes)) {
      if hasBegun { try await exchange.lease.pause(for: pause) }
      hasBegun = true
      try await parent.write(piece)
    }
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await parent.finish(trailingHeaders) }
}

private struct ShorteningWriter: ResponseBodyWriter {
  var parent: any ResponseBodyWriter
  /// The last byte so far.
  var last: UInt8?

  mutating func write(_ buffer: ByteBuffer) async throws {
    guard buffer.readableBytes > 0 else { return }
    var buffer = buffer
    var whole = ByteBuffer()
    if let last { whole.writeInteger(last) }
    whole.writeBuffer(&buffer)
    last = whole.getInteger(at: whole.writerIndex - 1)
    try await parent.write(whole.getSlice(at: whole.readerIndex, length: whole.readableBytes - 1) ?? ByteBuffer())
  }

  consuming func finish(_ trailingHeaders: HTTPFields?) async throws { try await parent.finish(trailingHeaders) }
}
