import ServiceLifecycle

/// Wakes one background loop. Several wakes before it runs count as one.
package struct Wakes: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  package init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// Returns at once.
  package func wake() { continuation.yield() }

  /// Runs the body after each wake until the server stops. Call it once.
  package func run(_ body: () async -> Void) async {
    // A merged sequence, as `cancelOnGracefulShutdown()` makes, costs two more turns of the thread pool for each wake.
    await withGracefulShutdownHandler {
      for await _ in stream {
        // An earlier wake is still delivered.
        guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return }
        await body()
      }
    } onGracefulShutdown: {
      continuation.finish()
    }
  }
}
