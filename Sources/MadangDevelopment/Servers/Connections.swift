import NIOCore
import Synchronization

/// HTTP connections that have carried requests to a server, to be closed when it goes down.
final class Connections: Sendable {
  private let open = Mutex<[ObjectIdentifier: any Channel]>([:])

  /// A request has come through this connection.
  func note(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    let isNew = open.withLock { $0.updateValue(channel, forKey: id) == nil }
    guard isNew else { return }
    // Weak, because a connection to another server of the process may outlive this one.
    channel.closeFuture.whenComplete { [weak self] _ in self?.open.withLock { _ = $0.removeValue(forKey: id) } }
  }

  /// The connections that are open now.
  var all: [any Channel] { open.withLock { Array($0.values) } }

  static func close(_ channels: [any Channel]) async {
    for channel in channels { try? await channel.close() }
  }
}
