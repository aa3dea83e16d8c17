import NIOCore
import Synchronization

extension SocketIOServer {
  /// Closes all connections of `httpServer` and all WebSockets without a word, and ends all sessions, as when the server's process is
  /// killed. New connections are served. For tests of clients: without `Configuration.packetInterceptor` it ends sessions
  /// and WebSockets only.
  public func dropConnections() async {
    let connections = core.connections.withLock { Array($0.values) }
    for connection in connections { try? await connection.close() }
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

extension ServerCore {
  /// Notes a connection of HTTP, to be dropped by the application.
  func opened(_ connection: any Channel) {
    guard configuration.packetInterceptor != nil else { return }
    connections.withLock { $0[ObjectIdentifier(connection)] = connection }
    connection.closeFuture.whenComplete { _ in
      self.connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }
  }
}
