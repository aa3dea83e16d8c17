import Foundation
import SocketIOServer
import Synchronization

/// One server's connection to the cluster: a queue, and a thread that sends its messages and listens.
final class PostgresLink: SocketIOAdapterConnection {
  private struct State {
    var receive: (@Sendable (SocketIOAdapterEvent) -> Void)?
    var isConnected = false
    /// Callers of `close` that wait for the end of the connection.
    var closers: [CheckedContinuation<Void, Never>] = []
  }

  private let adapter: PostgresAdapter
  private let server: SocketIOServer.ServerID
  private let outbox: Outbox
  private let state = Mutex(State())

  init(_ adapter: PostgresAdapter, _ server: SocketIOServer.ServerID) {
    self.adapter = adapter
    self.server = server
    outbox = Outbox(maxBytes: adapter.maxQueuedBytes, maxItems: adapter.maxQueuedMessages, maxAge: adapter.maxQueueAge)
  }

  func start(_ receive: @escaping @Sendable (SocketIOAdapterEvent) -> Void) {
    state.withLock { $0.receive = receive }
    // libpq blocks, so it needs a separate thread: event loops and tasks must not be blocked.
    let thread = Thread { [adapter, server, outbox] in
      PostgresLoop(adapter, server, outbox) { self.handle($0, receive) }.run()
      self.connected(false)
    }
    thread.name = "socketio-postgres"
    thread.start()
  }

  private func handle(_ event: SocketIOAdapterEvent, _ receive: (SocketIOAdapterEvent) -> Void) {
    switch event {
    case .connected: connected(true)
    case .disconnected: connected(false)
    case .message, .dropped, .unreadable, .problem: break
    }
    receive(event)
  }

  private func connected(_ isConnected: Bool) {
    let closers = state.withLock { state in
      state.isConnected = isConnected
      guard !isConnected else { return [CheckedContinuation<Void, Never>]() }
      defer { state.closers = [] }
      return state.closers
    }
    for closer in closers { closer.resume() }
  }

  func publish(_ message: [UInt8], to recipient: SocketIOServer.ServerID?) {
    let channel = recipient.map(adapter.channel) ?? adapter.channel
    let fits = message.count <= adapter.maxMessageBytes
    let dropped = fits ? outbox.put(.init(channel: channel, message: message)) : 1
    guard dropped > 0 else { return }
    let reason = fits ? "the queue for PostgreSQL is full or too old" : "one is larger than maxMessageBytes"
    state.withLock { $0.receive }?(.dropped(dropped, reason: reason))
  }

  func close() async {
    outbox.close()
    // If PostgreSQL does not answer, the thread takes longer.
    let timer = Task {
      try await Task.sleep(for: adapter.closeTimeout)
      connected(false)
    }
    defer { timer.cancel() }
    await withCheckedContinuation { continuation in
      // Without a connection there is nothing to send; the thread ends after its attempt to connect.
      let isOver = state.withLock { state in
        if state.isConnected { state.closers.append(continuation) }
        return !state.isConnected
      }
      if isOver { continuation.resume() }
    }
  }
}
