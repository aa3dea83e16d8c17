import DequeModule
import NIOCore
import SocketIOProtocol

/// What a hook has changed in a session. Accessed only on the session's loop.
final class Disturbance {
  /// How long a silent session is kept if its client does not close its connection.
  fileprivate static let maxSilence: Milliseconds = 3_600_000

  /// Set if nothing is read or written any longer: the time until which the session is kept.
  fileprivate(set) var silentUntil: Milliseconds?
  /// Answers to requests of a silent session, which are sent when it ends.
  fileprivate var unanswered: [Int: @Sendable () -> Void] = [:]
  fileprivate var lastNumber = 0
  var hasNoHeartbeat = false
  /// Whether packets that are sent now go past the hook.
  var isActing = false
  /// The session is about to be closed.
  var isEnding = false
  fileprivate(set) var wasReset = false

  var isDeaf: Bool { silentUntil != nil || isEnding }
}

extension Session {
  /// Created at the first use.
  var disturbed: Disturbance {
    if let disturbance { return disturbance }
    let new = Disturbance()
    disturbance = new
    return new
  }

  var isSilent: Bool { disturbance?.silentUntil != nil }
  var hasNoHeartbeat: Bool { disturbance?.hasNoHeartbeat ?? false }
  /// Whether the connections of the session's requests are to be reset.
  var wasReset: Bool { disturbance?.wasReset ?? false }

  func fallSilent() {
    disturbed.silentUntil = Milliseconds.uptime + Disturbance.maxSilence
    queue = []
    queuedBytes = 0
    link?.fallSilent()
    upgradeLink?.fallSilent()
  }

  func reset() {
    disturbed.wasReset = true
    let poll = poll
    self.poll = nil
    if poll != nil { engine.pollAnswered() }
    poll?(.reset)
    link?.reset()
    close(.transportError)
  }

  /// Keeps a request of a silent session until the session ends. The session ends with the request's connection.
  func leaveUnanswered(over channel: any Channel, _ answer: @escaping @Sendable () -> Void) {
    disturbed.lastNumber += 1
    let number = disturbed.lastNumber
    disturbed.unanswered[number] = answer
    PollWatch.onLoss(of: channel) {
      self.shard.run { _ in
        self.disturbance?.unanswered.removeValue(forKey: number)?()
        self.close(.transportClose)
      }
    }
  }

  /// The session has ended.
  func endSilence() {
    let unanswered = disturbance?.unanswered ?? [:]
    disturbance?.unanswered = [:]
    for answer in unanswered.values { answer() }
  }
}
