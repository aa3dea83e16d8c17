import DequeModule
import NIOCore

/// Shares an event loop's time among the owners of its connections: while others send as well, the work that one of them
/// causes by sending takes a part of it at most. What is more waits, in the order in which it came.
///
/// Belongs to one loop, as the objects it hands out.
final class LoopShares {
  /// For how long after its last work an owner counts as one of those who send.
  static let presence = TimeAmount.seconds(5)

  private let loop: any EventLoop
  private let part: Double
  fileprivate let now: () -> NIODeadline
  private var shares: [String: LoopShare] = [:]
  private lazy var anybody = LoopShare(self, part: nil)
  private var isSweeping = false
  /// The last two for whom there was work, the latest first.
  private var latest: (share: ObjectIdentifier, at: NIODeadline)?
  private var former: (share: ObjectIdentifier, at: NIODeadline)?

  /// - Parameter part: Of the loop's time, from 0 to 1.
  init(_ loop: any EventLoop, part: Double, now: @escaping () -> NIODeadline = NIODeadline.now) {
    self.loop = loop
    self.part = max(part, 0.001)
    self.now = now
  }

  /// The share of an owner; one without limit for connections that are nobody's in particular.
  func share(of owner: String?) -> LoopShare {
    guard let owner else { return anybody }
    if let share = shares[owner] { return share }
    let share = LoopShare(self, part: part)
    shares[owner] = share
    return share
  }

  /// Drops shares without connections. Their debt is kept until it would be paid, so that nobody is rid of it by connecting
  /// anew.
  fileprivate func sweep() {
    guard !isSweeping else { return }
    isSweeping = true
    schedule(in: .nanoseconds(Int64(Double(LoopShare.maxDebt.nanoseconds) / part))) {
      self.isSweeping = false
      self.shares = self.shares.filter { $0.value.connections > 0 }
    }
  }

  fileprivate func note(_ share: LoopShare, at now: NIODeadline) {
    let id = ObjectIdentifier(share)
    if let latest, latest.share != id { former = latest }
    latest = (id, now)
  }

  /// Whether somebody else sends as well.
  fileprivate func hasOthers(than share: LoopShare, at now: NIODeadline) -> Bool {
    let other = latest?.share == ObjectIdentifier(share) ? former : latest
    return other.map { now - $0.at < Self.presence } ?? false
  }

  fileprivate func schedule(in delay: TimeAmount, _ body: @escaping () -> Void) {
    let body = NIOLoopBound(body, eventLoop: loop)
    loop.scheduleTask(in: delay) { body.value() }
  }
}

/// The part of a loop's time that one owner has: a token bucket. Work makes a debt of time, which is paid off at the rate of
/// the part; beyond ``burst`` of it, further work waits.
final class LoopShare {
  static let burst = TimeAmount.milliseconds(3)
  /// Work done while nobody else was there, and single pieces that took long, are forgiven beyond this.
  static let maxDebt = TimeAmount.milliseconds(50)
  /// Bytes that may wait. What comes beyond them is worked on at once, as memory is worth more than time.
  static let maxWaitingBytes = 4 * 1024 * 1024

  private unowned let shares: LoopShares
  /// Nil: without limit.
  private let part: Double?
  private var debt = TimeAmount.zero
  private var paidAt: NIODeadline
  private var waiting = Deque<LoopShareHandler>()
  private var isScheduled = false
  fileprivate(set) var connections = 0
  var waitingBytes = 0

  fileprivate init(_ shares: LoopShares, part: Double?) {
    self.shares = shares
    self.part = part
    paidAt = shares.now()
  }

  /// A connection of the owner's, from now on and until ``left()``.
  func joined() { connections += 1 }

  func left() {
    connections -= 1
    if connections == 0 { shares.sweep() }
  }

  /// Whether work that comes now is to be done at once.
  var isFree: Bool {
    guard part != nil, waitingBytes < Self.maxWaitingBytes else { return true }
    return waiting.isEmpty && !isSpent
  }

  private var isSpent: Bool {
    let now = shares.now()
    payOff(until: now)
    return debt > Self.burst && shares.hasOthers(than: self, at: now)
  }

  private func payOff(until now: NIODeadline) {
    guard let part else { return }
    debt = max(.zero, debt - .nanoseconds(Int64(Double((now - paidAt).nanoseconds) * part)))
    paidAt = now
  }

  /// Does work of the owner's, and counts the time.
  func spend(_ work: () -> Void) {
    let began = shares.now()
    work()
    let ended = shares.now()
    payOff(until: ended)
    debt = min(Self.maxDebt, debt + (ended - began))
    shares.note(self, at: ended)
  }

  /// Has a connection wait for its turn.
  func wait(_ handler: LoopShareHandler) {
    waiting.append(handler)
    schedule()
  }

  private func schedule() {
    guard !isScheduled, let part else { return }
    isScheduled = true
    // Until half of the burst is there again, so that a turn is worth its timer.
    let owed = max(0, debt.nanoseconds - Self.burst.nanoseconds / 2)
    shares.schedule(in: max(.milliseconds(1), .nanoseconds(Int64(Double(owed) / part)))) { self.takeTurn() }
  }

  private func takeTurn() {
    isScheduled = false
    while !isSpent, let handler = waiting.popFirst() { handler.passOn() }
    if !waiting.isEmpty { schedule() }
  }
}
