import SocketIOProtocol
import Synchronization

/// Connection state recovery for all event loops of a server.
///
/// While it is on, all events for sockets are handed to the event loops, even by a loop to itself, so that every socket gets
/// them in the order of their numbers.
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

  /// Changes what is kept. Values of the application that were kept for forgotten clients end after the lock is free: there they
  /// may do what they like.
  private func change<Result: Sendable>(_ body: (inout RecoveryState<OutboundMessage>) -> Result) -> Result {
    let (result, forgotten) = state.withLock { (body(&$0), $0.takeForgotten()) }
    withExtendedLifetime(forgotten) {}
    return result
  }

  /// Whether somebody in the namespace is, or may become again, a client that can be recovered.
  func remembers(_ namespace: String) -> Bool {
    state.withLock { $0.remembers(namespace) }
  }

  /// How many sockets wait for their clients.
  var parkedCount: Int { state.withLock { $0.parkedCount } }

  /// Whether a client is to be recovered once it is lost.
  func serves(_ handshake: Handshake, _ claim: RecoveryClaim?) -> Bool {
    guard handshake.revision == .v4 else { return false }
    switch settings.offsets {
    case .always: return true
    case .capableClients: return claim != nil || handshake.query[RecoveryClaim.queryItem] == "1"
    }
  }

  // MARK: Sockets

  func joined(_ socket: Socket, _ pid: String) {
    state.withLock { $0.joined(pid, socket.id, in: socket.namespace, shard: socket.shard.index) }
  }

  func left(
    _ socket: Socket, _ pid: String, rooms: Set<String>, _ reason: DisconnectReason, at time: Milliseconds
  ) {
    let data = socket.data
    change { state in
      switch reason {
      case .transportClose, .transportError, .pingTimeout:
        state.park(pid, rooms: rooms, data: data, at: time)
      case .parseError, .clientNamespaceDisconnect, .serverNamespaceDisconnect, .forcedClose, .serverShuttingDown:
        state.left(pid)
      }
    }
  }

  /// Where the client's former connection still is, if nobody has noticed its end.
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
    // Forgets nobody, so that nothing of the application ends here.
    return state.withLock {
      $0.restore(claim.pid, in: namespace, after: offset, shard: shard, maxBytes: maxReplay, at: LoopShard.now)
    }
  }

  /// Changes the rooms of sockets whose clients are lost.
  func changeParked(_ target: BroadcastTarget, _ change: @Sendable (inout Set<String>) -> Void) {
    self.change { $0.changeParked(target, change) }
  }

  /// Lets no lost client return to a socket whom the target means.
  func forgetParked(_ target: BroadcastTarget) {
    change { $0.forgetParked(target) }
  }

  // MARK: Events

  /// Numbers an event, keeps it, and hands it over before any event with a later number.
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
        : state.log(to: target, at: LoopShard.now) { number in
          let message = withOffset(number)
          return (message, message.size, message.keptSize)
        }
      // What is not kept has the offset of the event before, so that clients may take every last argument for one.
      outbound.numbered =
        logged.map { .init(message: $0.message, number: $0.number) }
        ?? .init(message: withOffset(state.last(in: target.namespace)), number: nil)
      hand(outbound)
    }
  }

  // MARK: Time

  /// How often `sweep` is to be called.
  var sweepInterval: Milliseconds {
    min(60_000, max(100, settings.maxDisconnectionDuration.milliseconds / 2))
  }

  /// Returns whether anything is left to sweep later.
  func sweep() -> Bool {
    change { state in
      state.sweep(at: LoopShard.now)
      return !state.isEmpty
    }
  }
}

/// Lets a store be swept as long as there is something in it.
final class RecoverySweep: TimerWheelEntry {
  private unowned let shard: LoopShard
  private let store: RecoveryStore
  private(set) var timerDeadline: Milliseconds = .max
  var timerPlace: TimerWheel.Place?

  init(_ store: RecoveryStore, on shard: LoopShard) {
    self.store = store
    self.shard = shard
  }

  func start() {
    guard timerDeadline == .max else { return }
    timerDeadline = LoopShard.now + store.sweepInterval
    shard.schedule(self)
  }

  func timerFired(at now: Milliseconds) {
    timerDeadline = .max
    if store.sweep() { start() }
  }
}
