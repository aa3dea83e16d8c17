import SocketIOServer
import Synchronization

/// An adapter whose connection can be cut without notice in both directions, as by a crash.
final class ObservedAdapter: SocketIOAdapter {
  private struct State {
    var isCut = false
    var connections = 0
  }

  private let inner: any SocketIOAdapter
  private let state = Mutex(State())

  init(_ inner: any SocketIOAdapter) { self.inner = inner }

  /// How often it has connected.
  var connections: Int { state.withLock { $0.connections } }
  fileprivate var isCut: Bool { state.withLock { $0.isCut } }

  func cut() { state.withLock { $0.isCut = true } }

  func makeConnection(for server: SocketIOServer.ServerID) -> any SocketIOAdapterConnection {
    Connection(adapter: self, inner: inner.makeConnection(for: server))
  }

  private func note(_ event: SocketIOAdapterEvent) {
    if case .connected = event { state.withLock { $0.connections += 1 } }
  }

  private struct Connection: SocketIOAdapterConnection {
    let adapter: ObservedAdapter
    let inner: any SocketIOAdapterConnection

    func start(_ receive: @escaping @Sendable (SocketIOAdapterEvent) -> Void) {
      inner.start { [adapter] event in
        guard !adapter.isCut else { return }
        receive(event)
        adapter.note(event)
      }
    }

    func publish(_ message: [UInt8], to server: SocketIOServer.ServerID?) {
      if !adapter.isCut { inner.publish(message, to: server) }
    }

    func close() async { await inner.close() }
  }
}
