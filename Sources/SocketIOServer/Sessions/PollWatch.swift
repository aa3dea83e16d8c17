import NIOCore

/// Notifies a session that the connection of its waiting poll is lost.
enum PollWatch {
  /// Calls `body` if the connection is lost before its current request is answered. Only connections that this server has set up can be
  /// watched; for others the ping timeout ends the session.
  static func onLoss(of channel: any Channel, _ body: @escaping @Sendable () -> Void) {
    channel.eventLoop.execute {
      guard channel.isActive else { return body() }
      let handler = try? channel.pipeline.syncOperations.handler(type: HTTPConnectionHandler.self)
      handler?.connectionLost = body
    }
  }
}
