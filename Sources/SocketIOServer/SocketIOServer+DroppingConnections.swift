extension SocketIOServer {
  /// Closes all WebSockets without a word, and ends all sessions, as when the server's process is killed. New sessions are served.
  /// For tests of clients. Connections of HTTP stay open: the application closes them.
  public func dropConnections() async {
    for shard in core.shards {
      await withCheckedContinuation { continuation in
        shard.run {
          $0.dropConnections()
          continuation.resume()
        }
      }
    }
  }
}
