import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// The last handler of an HTTP/1 connection. It keeps arriving parts of requests for the task that answers them, and writes that task's
/// responses. It replaces `NIOAsyncChannel` for these messages, with less work for each.
///
/// Used only on the connection's event loop, by its handlers and by the task (`EventLoopTaskExecutor`). Other code must use
/// `RequestConnection.onLoop`.
final class RequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPResponsePart

  /// How long a client may keep its side open after its last response.
  private let lingerTimeout: Duration?
  var context: ChannelHandlerContext?
  private var parts: WaitingParts
  /// Why no more parts arrive after `parts`; nil while more may arrive.
  private var inputEnd: Result<Void, any Error>?
  /// The task, while it waits for a part.
  private var waitingReader: UnsafeContinuation<HTTPRequestPart?, any Error>?
  /// The task, while it waits until the client has read more.
  var waitingWriter: UnsafeContinuation<Void, any Error>?
  private var isReadHeld = false
  /// The parts of the current response that are held back.
  var heldHead: HTTPResponse?
  var heldBody: ByteBuffer?
  /// How many bytes of the current response's body are missing, if its length was announced.
  var missingBytes: Int?
  /// Whether a response has begun and not ended.
  var isResponding = false
  /// The number of the current request on the connection.
  private(set) var requestNumber = 0
  /// Whether its whole body was taken.
  private var isBodyTaken = true
  private(set) var isCancelled = false
  private var hasEndedResponses = false
  private var lingering: Scheduled<Void>?

  init(_ configuration: SocketIOServer.HTTPChannelConfiguration) {
    parts = WaitingParts(maxRequests: configuration.maxPipelinedRequests)
    lingerTimeout = configuration.lingerTimeout
  }

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }

  func handlerRemoved(context: ChannelHandlerContext) {
    self.context = nil
    lingering?.cancel()
    endInput(.success(()))
  }

  // MARK: Receiving

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard inputEnd == nil else { return }
    // Waiting requests are still answered.
    if !parts.append(unwrapInboundIn(data)) { endInput(.success(())) }
  }

  func channelReadComplete(context: ChannelHandlerContext) { wakeReader() }

  func read(context: ChannelHandlerContext) {
    isReadHeld = parts.areMany
    if !isReadHeld { context.read() }
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if let event = event as? ChannelEvent, event == .inputClosed { endInput(.success(())) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelInactive(context: ChannelHandlerContext) {
    endInput(.success(()))
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { endInput(.failure(error)) }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if context.channel.isWritable { wakeWriter() }
    context.fireChannelWritabilityChanged()
  }

  private func endInput(_ end: Result<Void, any Error>) {
    inputEnd = inputEnd ?? end
    wakeReader()
    // A writer notices the closed connection at its next write.
    if !(context?.channel.isActive ?? false) { wakeWriter() }
  }

  private func wakeReader() {
    guard let reader = waitingReader, !parts.isEmpty || inputEnd != nil else { return }
    waitingReader = nil
    reader.resume(with: Result { try take() })
  }

  private func wakeWriter() {
    waitingWriter?.resume()
    waitingWriter = nil
  }

  /// The first waiting part; nil when all have been taken and no more arrive. Throws the error that ended the input, once.
  private func take() throws -> HTTPRequestPart? {
    guard let part = parts.popFirst() else {
      defer { inputEnd = .success(()) }
      try inputEnd?.get()
      return nil
    }
    readOn()
    return part
  }

  private func readOn() {
    guard isReadHeld, parts.areFew else { return }
    isReadHeld = false
    context?.read()
  }

  // MARK: Reading, for the task

  /// The head of the next request, after the client has taken enough of the output; nil if there is none. The rest of the current request's
  /// body is dropped.
  nonisolated(nonsending) func nextHead() async throws -> HTTPRequest? {
    requestNumber += 1
    // A reader may still wait for the body of a request that was answered.
    waitingReader?.resume(throwing: RequestIsOver())
    waitingReader = nil
    if let context, context.channel.isActive { try await waitUntilWritable(context) }
    guard !isCancelled else { return nil }
    while let part = try await nextOrNone() {
      switch part {
      case .head(let head):
        isBodyTaken = false
        return head
      case .body: break
      case .end: isBodyTaken = true
      }
    }
    return nil
  }

  /// The next part; nil if no more arrive, or if the body of an answered request is cut off, because its client expects no other response.
  private nonisolated(nonsending) func nextOrNone() async throws -> HTTPRequestPart? {
    do { return try await next() } catch {
      if isBodyTaken { throw error }
      return nil
    }
  }

  /// The body of the current request, if it has arrived completely. Call it before reading any part of it.
  func takeWholeBody() -> ByteBuffer? {
    guard let body = parts.takeWholeBody() else { return nil }
    isBodyTaken = true
    readOn()
    return body
  }

  /// The next part of the body of this request; nil at its end. Throws if the body is cut off, or the request was answered meanwhile.
  nonisolated(nonsending) func nextBytes(of request: Int) async throws -> ByteBuffer? {
    guard request == requestNumber, waitingReader == nil else { throw RequestIsOver() }
    if isBodyTaken { return nil }
    let part = try await next()
    guard request == requestNumber else { throw RequestIsOver() }
    switch part {
    case .body(let bytes):
      return bytes
    case .end:
      isBodyTaken = true
      return nil
    case .head, nil:
      throw ChannelError.inputClosed
    }
  }

  /// The next part; nil if no more arrive.
  private nonisolated(nonsending) func next() async throws -> HTTPRequestPart? {
    if !parts.isEmpty || inputEnd != nil { return try take() }
    return try await withUnsafeThrowingContinuation { waitingReader = $0 }
  }

  /// Closes the connection's output after the last response is sent. Further input is dropped until the client closes its side or the
  /// linger timeout passes.
  nonisolated(nonsending) func endResponses() async {
    hasEndedResponses = true
    inputEnd = .success(())
    parts.removeAll()
    readOn()
    guard let context, !isCancelled else { return }
    // If the client has closed its side, closing the output would drop unsent data.
    if let waiting = try? context.channel.syncOptions?.getOption(.bufferedWritableBytes), waiting > 0 {
      let left = context.eventLoop.makePromise(of: Void.self)
      context.writeAndFlush(wrapOutboundOut(.body(ByteBuffer())), promise: left)
      try? await left.futureResult.get()
    }
    guard let context = self.context else { return }
    context.close(mode: .output, promise: nil)
    let channel = context.channel
    lingering = lingerTimeout.map { time in
      context.eventLoop.scheduleTask(in: TimeAmount(time)) { channel.close(promise: nil) }
    }
  }

  /// Stops reading. A task that waits for the client gets an error; a task with other work ends after the current response.
  func cancel() {
    isCancelled = true
    waitingWriter?.resume(throwing: CancellationError())
    waitingWriter = nil
    endInput(.success(()))
    // Closes directly, because the task makes no further calls.
    if hasEndedResponses { context?.close(promise: nil) }
  }
}
