import DequeModule
import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// The end of an HTTP/1 connection: keeps the parts of its requests for the task that answers them, and writes that task's
/// answers. What `NIOAsyncChannel` does for any channel, for this one alone: a request costs a third less.
///
/// It belongs to the connection's event loop. The task runs there, too (`EventLoopTaskExecutor`); what it waits for elsewhere may
/// call from other threads.
final class RequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPResponsePart

  /// While so many parts wait, nothing more is read; a part is one read's at most.
  private static let maxWaiting = 10
  /// Reading goes on at so many.
  private static let fewWaiting = 2

  private var context: ChannelHandlerContext?
  private var parts = Deque<HTTPRequestPart>()
  /// Why nothing comes after `parts`; nil as long as something may.
  private var end: Result<Void, any Error>?
  /// The task, if it waits for a part.
  private var reader: UnsafeContinuation<HTTPRequestPart?, any Error>?
  /// The task, if it waits until the client has read more.
  private var writer: UnsafeContinuation<Void, any Error>?
  private var isReadHeld = false
  /// What waits of the present answer.
  private var head: HTTPResponse?
  private var body: ByteBuffer?
  private var contentLength: Int?
  /// The number of the present request among those of the connection.
  private(set) var number = 0
  /// Whether all of its body was taken.
  private var isBodyTaken = false
  private var isCancelled = false

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    finish(.success(()))
  }

  // MARK: What arrives

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard end == nil else { return }
    parts.append(unwrapInboundIn(data))
  }

  func channelReadComplete(context: ChannelHandlerContext) { wakeReader() }

  func read(context: ChannelHandlerContext) {
    isReadHeld = parts.count >= Self.maxWaiting
    if !isReadHeld { context.read() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { finish(.success(())) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    finish(.success(()))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { finish(.failure(error)) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { wakeWriter() }
    context.fireChannelWritabilityChanged()
  }

  /// Nothing more arrives.
  private func finish(_ end: Result<Void, any Error>) {
    self.end = self.end ?? end
    wakeReader()
    if context?.channel.isActive ?? false { return }
    wakeWriter()
  }

  private func wakeReader() {
    guard let reader, !parts.isEmpty || end != nil else { return }
    self.reader = nil
    reader.resume(with: Result { try take() })
  }

  private func wakeWriter() {
    writer?.resume()
    writer = nil
  }

  /// The first part that waits; nil at the end. What the end is an error of is thrown once.
  private func take() throws -> HTTPRequestPart? {
    guard let part = parts.popFirst() else {
      defer { end = .success(()) }
      try end?.get()
      return nil
    }
    readOn()
    return part
  }

  private func readOn() {
    guard isReadHeld, parts.count <= Self.fewWaiting else { return }
    isReadHeld = false
    context?.read()
  }

  // MARK: What the task asks for

  /// The head of the next request; nil if no more come. What is left of the present one's body is dropped.
  nonisolated(nonsending) func nextHead() async throws -> HTTPRequest? {
    number += 1
    // Somebody may still wait for the body of a request that was answered.
    reader?.resume(throwing: RequestIsOver())
    reader = nil
    while let part = try await next() {
      guard case .head(let head) = part else { continue }
      isBodyTaken = false
      return head
    }
    return nil
  }

  /// The body of the present request, if all of it has come. Asked for before any of it is read.
  func takeWholeBody() -> ByteBuffer? {
    guard let end = parts.firstIndex(where: \.isEnd) else { return nil }
    var body = ByteBuffer()
    for case .body(var bytes) in parts.prefix(end) {
      if body.readableBytes == 0 { body = bytes } else { body.writeBuffer(&bytes) }
    }
    parts.removeFirst(end + 1)
    readOn()
    return body
  }

  /// More of the body of the request with that number; nil at its end. Throws if it is cut off, or the request was
  /// answered meanwhile.
  nonisolated(nonsending) func nextBytes(of request: Int) async throws -> ByteBuffer? {
    guard request == number, reader == nil else { throw RequestIsOver() }
    if isBodyTaken { return nil }
    switch try await next() {
    case .body(let bytes):
      return bytes
    case .end:
      isBodyTaken = true
      return nil
    case .head, nil:
      throw ChannelError.inputClosed
    }
  }

  /// The next part; nil if no more come.
  private nonisolated(nonsending) func next() async throws -> HTTPRequestPart? {
    if !parts.isEmpty || end != nil { return try take() }
    return try await withUnsafeThrowingContinuation { reader = $0 }
  }

  /// Begins an answer. If it is to be as long as one piece may be, its head waits for that piece, and both for the end.
  func begin(_ response: Response) throws {
    (head, contentLength) = (response.head, response.body.contentLength)
    if contentLength == nil { try flushBeginning() }
  }

  /// Writes a piece of the answer's body, and waits while the client reads too slowly.
  nonisolated(nonsending) func write(_ bytes: ByteBuffer) async throws {
    // As a chunk it would end the body.
    guard bytes.readableBytes > 0 else { return try flushBeginning() }
    if head != nil, body == nil, bytes.readableBytes == contentLength {
      body = bytes
      return
    }
    let context = try openContext()
    writeBeginning(context)
    context.writeAndFlush(wrapOutboundOut(.body(bytes)), promise: nil)
    guard !context.channel.isWritable else { return }
    if isCancelled { throw CancellationError() }
    try await withUnsafeThrowingContinuation { writer = $0 }
  }

  /// Ends the answer.
  func writeEnd(_ trailers: HTTPFields?) throws {
    let context = try openContext()
    writeBeginning(context)
    context.writeAndFlush(wrapOutboundOut(.end(trailers)), promise: nil)
  }

  /// Sends what waits of an answer that has begun.
  func flushBeginning() throws {
    let context = try openContext()
    writeBeginning(context)
    context.flush()
  }

  private func writeBeginning(_ context: ChannelHandlerContext) {
    if let head { context.write(wrapOutboundOut(.head(head)), promise: nil) }
    if let body { context.write(wrapOutboundOut(.body(body)), promise: nil) }
    (head, body) = (nil, nil)
  }

  private func openContext() throws -> ChannelHandlerContext {
    guard let context, context.channel.isActive else { throw ChannelError.ioOnClosedChannel }
    return context
  }

  /// Says that no more answers come. What still arrives is dropped.
  func finishWriting() {
    end = .success(())
    parts.removeAll()
    readOn()
    context?.close(mode: .output, promise: nil)
  }

  /// Lets the task end when the present request is answered, or at once if that waits for the client.
  func cancel() {
    isCancelled = true
    writer?.resume(throwing: CancellationError())
    writer = nil
    finish(.success(()))
  }
}

/// Its body is nobody's any more.
private struct RequestIsOver: Error {}

extension HTTPRequestPart {
  fileprivate var isEnd: Bool { if case .end = self { true } else { false } }
}
