import ServiceLifecycle

/// Has one loop of work beside the requests look once more. Several wakes before it looks are one.
package struct Wakes: Sendable {
  private let stream: AsyncStream<Void>
  private let continuation: AsyncStream<Void>.Continuation

  package init() { (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1)) }

  /// Returns at once.
  package func wake() { continuation.yield() }

  /// Runs the body after each wake, until the server is to stop. To be called once.
  package func run(_ body: () async -> Void) async {
    // A merged sequence, as `cancelOnGracefulShutdown()` makes, takes two more turns of the thread pool for each wake.
    await withGracefulShutdownHandler {
      for await _ in stream {
        // A wake that came before is still handed out.
        guard !Task.isCancelled, !Task.isShuttingDownGracefully else { return }
        await body()
      }
    } onGracefulShutdown: {
      continuation.finish()
    }
  }
}
