import NIOCore

/// Tells a session that the connection of its waiting poll is gone.
enum PollWatch {
  /// Calls `body` when the connection is lost before its current request has been answered. A connection that this
  /// server did not set up cannot be watched: there the ping time-out ends the session.
  static func onLoss(of channel: any Channel, _ body: @escaping @Sendable () -> Void) {
    channel.eventLoop.execute {
      guard channel.isActive else { return body() }
      let handler = try? channel.pipeline.syncOperations.handler(type: HTTPConnectionHandler.self)
      handler?.connectionLost = body
    }
  }
}
