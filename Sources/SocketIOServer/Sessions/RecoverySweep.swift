import SocketIOProtocol

/// Sweeps a store as long as it contains anything.
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
    timerDeadline = Milliseconds.uptime + store.sweepInterval
    shard.schedule(self)
  }

  func timerFired(at now: Milliseconds) {
    timerDeadline = .max
    if store.sweep() { start() }
  }
}
