import Synchronization

/// Connects the servers in one process that use the same adapter: for tests, and for applications that serve several ports with different
/// settings.
///
/// Nothing is queued or lost: the other servers have processed a message before `publish` returns.
public final class InMemoryAdapter: SocketIOAdapter {
  fileprivate typealias Receiver = @Sendable (SocketIOAdapterEvent) -> Void

  fileprivate let receivers = Mutex<[SocketIOServer.ServerID: Receiver]>([:])

  public init() {}

  public func makeConnection(for server: SocketIOServer.ServerID) -> any SocketIOAdapterConnection {
    InMemoryConnection(adapter: self, server: server)
  }
}

private struct InMemoryConnection: SocketIOAdapterConnection {
  let adapter: InMemoryAdapter
  let server: SocketIOServer.ServerID

  func start(_ receive: @escaping @Sendable (SocketIOAdapterEvent) -> Void) {
    adapter.receivers.withLock { $0[server] = receive }
    receive(.connected)
  }

  func publish(_ message: [UInt8], to recipient: SocketIOServer.ServerID?) {
    let receivers = adapter.receivers.withLock { receivers in
      receivers.filter { $0.key != server && (recipient == nil || recipient == $0.key) }
    }
    for receive in receivers.values { receive(.message(message)) }
  }

  func close() async {
    adapter.receivers.withLock { $0[server] = nil }
  }
}
