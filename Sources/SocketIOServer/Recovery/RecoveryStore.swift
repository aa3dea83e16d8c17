import SocketIOProtocol
import Synchronization

/// Connection state recovery for all event loops of a server.
///
/// While it is on, all events for sockets are queued for the event loops, even from a loop to itself, so that every socket receives them in
/// the order of their numbers.
final class RecoveryStore: Sendable {
  let settings: SocketIOServer.Recovery
  private let maxReplay: Int
  private let encoding: OutboundEncoding
  private let state: Mutex<RecoveryState<OutboundMessage>>

  init(_ settings: SocketIOServer.Recovery, _ configuration: SocketIOServer.Configuration) {
    self.settings = settings
    encoding = configuration.encoding(compress: true)
    maxReplay = configuration.maxOutboundBytesPerSocket
    let duration = settings.maxDisconnectionDuration.milliseconds
    let unnoticed = configuration.pingInterval.milliseconds + configuration.pingTimeout.milliseconds
    state = Mutex(
      RecoveryState(
        .init(
          duration: duration, sessions: settings.maxSessions,
          log: .init(packets: settings.maxPacketsPerNamespace, bytes: settings.maxBytesPerNamespace),
          totalBytes: settings.maxBytes, maxAge: duration + unnoticed)))
  }

  /// Changes the state. The application's data of removed sockets is released after the lock, because that may run application code.
  private func change<Result: Sendable>(_ body: (inout RecoveryState<OutboundMessage>) -> Result) -> Result {
    let (result, forgotten) = state.withLock { (body(&$0), $0.takeForgotten()) }
    withExtendedLifetime(forgotten) {}
    return result
  }

  /// Whether the namespace has a client that can be recovered, connected or lost.
  func remembers(_ namespace: String) -> Bool {
    state.withLock { $0.remembers(namespace) }
  }

  /// How many sockets wait for their clients.
  var parkedCount: Int { state.withLock { $0.parkedCount } }

  /// Whether a client can be recovered after a lost connection.
  func serves(_ handshake: Handshake, _ claim: RecoveryClaim?) -> Bool {
    guard handshake.revision == .v4 else { return false }
    switch settings.offsets {
    case .always: return true
    case .capableClients: return claim != nil || handshake.query[RecoveryClaim.queryItem] == "1"
    }
  }

  // MARK: Sockets

  /// A client may return to its socket from now on.
  ///
  /// - Parameters:
  ///   - pid: The private id by which it returns.
  ///   - id: The socket's id.
  func joined(_ pid: String, _ id: String, in namespace: String, shard: Int) {
    state.withLock { $0.joined(pid, id, in: namespace, shard: shard) }
  }

  func left(
    _ pid: String, rooms: Set<String>, _ data: SocketData, _ reason: DisconnectReason, at time: Milliseconds
  ) {
    change { state in
      switch reason {
      case .transportClose, .transportError, .pingTimeout:
        state.park(pid, rooms: rooms, data: data, at: time)
      case .parseError, .clientNamespaceDisconnect, .serverNamespaceDisconnect, .forcedClose, .serverShuttingDown:
        state.left(pid)
      }
    }
  }

  /// The client's former socket, if its lost connection is still unnoticed.
  func liveSocket(_ claim: RecoveryClaim, in namespace: String) -> RecoveryState<OutboundMessage>.Live? {
    guard let socket = state.withLock({ $0.liveSocket(claim.pid) }), socket.namespace == namespace else { return nil }
    return socket
  }

  func restore(
    _ claim: RecoveryClaim, in namespace: String, shard: Int
  ) -> RecoveryState<OutboundMessage>.Restored? {
    var offset: UInt64?
    if let text = claim.offset {
      guard let number = RecoveryClaim.number(offset: text) else { return nil }
      offset = number
    }
    // Removes no socket, so no application code can run here.
    return state.withLock {
      $0.restore(claim.pid, in: namespace, after: offset, shard: shard, maxBytes: maxReplay, at: Milliseconds.uptime)
    }
  }

  /// Changes the rooms of sockets whose clients are lost.
  func changeParked(_ target: BroadcastTarget, _ change: @Sendable (inout Set<String>) -> Void) {
    self.change { $0.changeParked(target, change) }
  }

  /// Prevents lost clients from returning to sockets that the target selects.
  func forgetParked(_ target: BroadcastTarget) {
    change { $0.forgetParked(target) }
  }

  // MARK: Events

  /// Numbers an event, keeps it, and passes it to `hand` before any event with a later number.
  func send(
    _ event: String, _ arguments: SocketArguments, to target: BroadcastTarget, _ hand: (OutboundEvent) -> Void
  ) {
    let encoding = target.compress ? encoding : encoding.uncompressed
    var outbound = OutboundEvent(event, arguments, namespace: target.namespace, encoding)
    func withOffset(_ number: UInt64) -> OutboundMessage {
      OutboundEvent(
        event, arguments, namespace: target.namespace, offset: RecoveryClaim.offset(number), encoding
      ).message
    }
    state.withLock { state in
      let logged =
        target.isVolatile
        ? nil
        : state.log(to: target, at: Milliseconds.uptime) { number in
          let message = withOffset(number)
          return (message, message.size, message.keptSize)
        }
      // An event that is not kept carries the offset of the previous event, so that clients can rely on the last argument.
      outbound.numbered =
        logged.map { .init(message: $0.message, number: $0.number) }
        ?? .init(message: withOffset(state.last(in: target.namespace)), number: nil)
      hand(outbound)
    }
  }

  // MARK: Time

  /// How often `sweep` must be called.
  var sweepInterval: Milliseconds {
    min(60_000, max(100, settings.maxDisconnectionDuration.milliseconds / 2))
  }

  /// Removes expired data. Returns whether anything is left for a later sweep.
  func sweep() -> Bool {
    change { state in
      state.sweep(at: Milliseconds.uptime)
      return !state.isEmpty
    }
  }
}
