import NIOCore
import Synchronization

extension SocketIOServer {
  /// Closes all connections of HTTP and all WebSockets without a word, and ends all sessions, as when the server's process is
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
  /// Notes a connection of HTTP, to be dropped by the application; once, however often it is told.
  func opened(_ connection: any Channel) {
    guard configuration.packetInterceptor != nil else { return }
    let isNew = connections.withLock { $0.updateValue(connection, forKey: ObjectIdentifier(connection)) == nil }
    guard isNew else { return }
    // Weakly: a connection to another server of the process may outlive this one.
    connection.closeFuture.whenComplete { [weak self] _ in
      self?.connections.withLock { _ = $0.removeValue(forKey: ObjectIdentifier(connection)) }
    }
  }
}
