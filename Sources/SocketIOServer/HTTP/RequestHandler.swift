import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// The last handler of an HTTP/1 connection: keeps what arrives of its requests for the task that answers them, and writes that
/// task's responses. It does what `NIOAsyncChannel` does, for these messages alone, which takes less work for each.
///
/// Used on the connection's event loop only, by its handlers and by the task (`EventLoopTaskExecutor`). Others come through
/// `RequestConnection.onLoop`.
final class RequestHandler: ChannelDuplexHandler {
  typealias InboundIn = HTTPRequestPart
  typealias OutboundIn = Never
  typealias OutboundOut = HTTPResponsePart

  /// How long a client may keep its side open after its last response.
  private let lingerTimeout: Duration?
  var context: ChannelHandlerContext?
  private var parts: WaitingParts
  /// Why nothing comes after `parts`; nil as long as something may.
  private var inputEnd: Result<Void, any Error>?
  /// The task, if it waits for a part.
  private var waitingReader: UnsafeContinuation<HTTPRequestPart?, any Error>?
  /// The task, if it waits until the client has read more.
  var waitingWriter: UnsafeContinuation<Void, any Error>?
  private var isReadHeld = false
  /// What waits of the present response.
  var heldHead: HTTPResponse?
  var heldBody: ByteBuffer?
  /// How many bytes the present response's body still lacks, where its head has said how many there are.
  var missingBytes: Int?
  /// Whether a response has begun that has not ended.
  var isResponding = false
  /// The number of the present request among those of the connection.
  private(set) var requestNumber = 0
  /// Whether all of its body was taken.
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

  // MARK: What arrives

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard inputEnd == nil else { return }
    // Those that wait are answered.
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

  /// Nothing more arrives.
  private func endInput(_ end: Result<Void, any Error>) {
    inputEnd = inputEnd ?? end
    wakeReader()
    // A writer learns by its next write that the connection is closed.
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

  /// The first part that waits; nil when all have been taken and no more come. Throws the error that ended the input, once.
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

  // MARK: What the task asks for

  /// The head of the next request, once the client has taken enough of what was sent; nil if no more come. What is left of the
  /// present one's body is dropped.
  nonisolated(nonsending) func nextHead() async throws -> HTTPRequest? {
    requestNumber += 1
    // Somebody may still wait for the body of a request that was answered.
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

  /// The next part; nil if no more come, or what comes breaks off the body of a request that was answered: its client expects no
  /// other response.
  private nonisolated(nonsending) func nextOrNone() async throws -> HTTPRequestPart? {
    do { return try await next() } catch {
      if isBodyTaken { throw error }
      return nil
    }
  }

  /// The body of the present request, if all of it has come. Asked for before any of it is read.
  func takeWholeBody() -> ByteBuffer? {
    guard let body = parts.takeWholeBody() else { return nil }
    isBodyTaken = true
    readOn()
    return body
  }

  /// More of the body of the request with that number; nil at its end. Throws if it is cut off, or the request was
  /// answered meanwhile.
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

  /// The next part; nil if no more come.
  private nonisolated(nonsending) func next() async throws -> HTTPRequestPart? {
    if !parts.isEmpty || inputEnd != nil { return try take() }
    return try await withUnsafeThrowingContinuation { waitingReader = $0 }
  }

  /// Closes the connection's output when the last response has left. What still arrives is dropped, until the client ends its side
  /// or the time for that is over.
  nonisolated(nonsending) func endResponses() async {
    hasEndedResponses = true
    inputEnd = .success(())
    parts.removeAll()
    readOn()
    guard let context, !isCancelled else { return }
    // Where the client has ended its side, closing the other one forgets what waits.
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

  /// Ends reading. A task that waits for the client gets an error; one that does other work ends with the present response.
  func cancel() {
    isCancelled = true
    waitingWriter?.resume(throwing: CancellationError())
    waitingWriter = nil
    endInput(.success(()))
    // Nobody asks the task any more.
    if hasEndedResponses { context?.close(promise: nil) }
  }
}
