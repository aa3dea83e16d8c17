import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

extension RequestHandler {
  /// Begins a response. Without a known length, its head is sent at once. With one, it waits for the first part of the body; if that is the
  /// whole body, both wait for the end, so that everything is sent in one flush.
  func begin(_ response: Response) throws {
    (heldHead, missingBytes, isResponding) = (response.head, response.body.contentLength, true)
    if missingBytes == nil { try flushBeginning() }
  }

  /// Writes a part of the response's body, and waits while the client reads too slowly. An empty part sends a waiting head. Throws if the
  /// connection is closed, the task is cancelled, or the body exceeds the announced length.
  nonisolated(nonsending) func write(_ bytes: ByteBuffer) async throws {
    guard bytes.readableBytes > 0 else { return try flushBeginning() }
    if let missing = missingBytes {
      guard bytes.readableBytes <= missing else { throw WrongBodyLength() }
      missingBytes = missing - bytes.readableBytes
      if heldHead != nil, missingBytes == 0 {
        heldBody = bytes
        return
      }
    }
    let context = try openContext()
    writeBeginning(context)
    context.writeAndFlush(wrapOutboundOut(.body(bytes)), promise: nil)
    try await waitUntilWritable(context)
  }

  /// Waits while the client reads too slowly.
  nonisolated(nonsending) func waitUntilWritable(_ context: ChannelHandlerContext) async throws {
    if isCancelled { throw CancellationError() }
    guard !context.channel.isWritable else { return }
    // A second concurrent writer could not be woken.
    guard waitingWriter == nil else { throw RequestIsOver() }
    try await withUnsafeThrowingContinuation { waitingWriter = $0 }
  }

  /// Ends the response after the client has taken most of it, because the connection counts as idle from then on. Throws if the body is
  /// shorter than announced.
  nonisolated(nonsending) func writeEnd(_ trailers: HTTPFields?) async throws {
    guard missingBytes ?? 0 == 0 else { throw WrongBodyLength() }
    let context = try openContext()
    writeBeginning(context)
    if !context.channel.isWritable {
      context.flush()
      try await waitUntilWritable(context)
    }
    try openContext().writeAndFlush(wrapOutboundOut(.end(trailers)), promise: nil)
    isResponding = false
  }

  /// Sends the parts of the response that are held back.
  func flushBeginning() throws {
    let context = try openContext()
    writeBeginning(context)
    context.flush()
  }

  private func writeBeginning(_ context: ChannelHandlerContext) {
    if let heldHead { context.write(wrapOutboundOut(.head(heldHead)), promise: nil) }
    if let heldBody { context.write(wrapOutboundOut(.body(heldBody)), promise: nil) }
    (heldHead, heldBody) = (nil, nil)
  }

  /// Throws if the current response has not ended.
  func requireEnd() throws { if isResponding { throw WrongBodyLength() } }

  private func openContext() throws -> ChannelHandlerContext {
    guard let context, context.channel.isActive else { throw ChannelError.ioOnClosedChannel }
    return context
  }
}
