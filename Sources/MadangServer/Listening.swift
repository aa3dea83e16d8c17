/// Tells those who wait when the server accepts connections.
final class Listening: Sendable {
  private let stream: AsyncThrowingStream<Int, any Error>
  private let continuation: AsyncThrowingStream<Int, any Error>.Continuation

  init() { (stream, continuation) = AsyncThrowingStream.makeStream() }

  func began(_ port: Int) {
    continuation.yield(port)
    continuation.finish()
  }

  func failed(_ error: any Error) { continuation.finish(throwing: error) }

  var port: Int {
    get async throws {
      for try await port in stream { return port }
      throw SetupError("the server stopped before it listened")
    }
  }
}
