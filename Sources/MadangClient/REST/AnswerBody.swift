import AsyncHTTPClient
import NIOCore
import NIOPosix

/// The body of an answer, chunk by chunk. If the server pauses too long between two chunks, reading fails; the reader's own time does not
/// count.
actor AnswerBody {
  private var chunks: HTTPClientResponse.Body.AsyncIterator?
  private let transport: Transport
  private let pause: TimeAmount

  /// - Parameter pause: Time limit for each chunk of the server.
  init(_ body: HTTPClientResponse.Body, over transport: Transport, pause: TimeAmount) {
    chunks = body.makeAsyncIterator()
    self.transport = transport
    self.pause = pause
  }

  /// The next chunk; nil at the end of the answer. For one reader.
  /// - Throws: ``MadangError/unreachable(host:reason:)``.
  func next() async throws -> ByteBuffer? {
    // Unstructured, because only cancelling the reading task ends a body that waits for the server.
    let reading = Task { try await self.read() }
    let deadline = NIODeadline.now() + pause
    let timer = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(deadline: deadline) { reading.cancel() }
    defer { timer.cancel() }
    let result = await withTaskCancellationHandler {
      await reading.result
    } onCancel: {
      reading.cancel()
    }
    if case .success(let chunk?) = result { return chunk }
    // A cancelled body may look as if it had ended.
    try Task.checkCancellation()
    guard NIODeadline.now() < deadline else { throw transport.unreachable("its answer stopped half-way") }
    return try await transport.reaching { try result.get() }
  }

  private func read() async throws -> ByteBuffer? {
    guard var reader = chunks else { return nil }
    chunks = nil
    defer { chunks = reader }
    return try await reader.next(isolation: self)
  }
}
