import DequeModule
import NIOCore

/// Divides an event loop's time among the owners of its connections. While several owners send, the work that one of them causes may take
/// only a part of the time. Work beyond that waits; each connection keeps its order.
///
/// Belongs to one loop, as do the objects that it returns.
final class LoopShares {
  /// How long after its last work an owner counts as sending.
  static let presence = TimeAmount.seconds(5)

  private let loop: any EventLoop
  private let part: Double
  fileprivate let now: () -> NIODeadline
  private var shares: [String: LoopShare] = [:]
  private lazy var anybody = LoopShare(self, part: nil)
  private var isSweeping = false
  /// The last two shares with work, the latest first.
  private var latest: (share: ObjectIdentifier, at: NIODeadline)?
  private var former: (share: ObjectIdentifier, at: NIODeadline)?

  /// - Parameter part: An owner's part of the loop's time, from 0 to 1.
  init(_ loop: any EventLoop, part: Double, now: @escaping () -> NIODeadline = NIODeadline.now) {
    self.loop = loop
    self.part = max(part, 0.001)
    self.now = now
  }

  /// The share of an owner; for connections without an owner, a share without limit.
  func share(of owner: String?) -> LoopShare {
    guard let owner else { return anybody }
    if let share = shares[owner] { return share }
    let share = LoopShare(self, part: part)
    shares[owner] = share
    sweep()
    return share
  }

  /// Removes shares without connections and without debt: a debt must survive reconnecting. A share that counts as sending stays, because
  /// an owner who returned with a new share would compete with its former one.
  fileprivate func sweep() {
    guard !isSweeping else { return }
    isSweeping = true
    schedule(in: .seconds(1)) {
      self.isSweeping = false
      let now = self.now()
      self.shares = self.shares.filter { !$0.value.isOver || self.isSending($0.value, at: now) }
      if self.shares.values.contains(where: { $0.connections == 0 }) { self.sweep() }
    }
  }

  fileprivate func note(_ share: LoopShare, at now: NIODeadline) {
    let id = ObjectIdentifier(share)
    if let latest, latest.share != id { former = latest }
    latest = (id, now)
  }

  private func isSending(_ share: LoopShare, at now: NIODeadline) -> Bool {
    [latest, former].contains { $0.map { $0.share == ObjectIdentifier(share) && now - $0.at < Self.presence } ?? false }
  }

  /// Whether another owner sends as well.
  fileprivate func hasOthers(than share: LoopShare, at now: NIODeadline) -> Bool {
    let other = latest?.share == ObjectIdentifier(share) ? former : latest
    return other.map { now - $0.at < Self.presence } ?? false
  }

  fileprivate func schedule(in delay: TimeAmount, _ body: @escaping () -> Void) {
    let body = NIOLoopBound((self, body), eventLoop: loop)
    loop.scheduleTask(in: delay) { body.value.1() }
  }
}

/// One owner's part of a loop's time, as a token bucket. Work adds a debt of time, which is paid off at the rate of the part. While the
/// debt exceeds ``burst``, further work waits.
final class LoopShare {
  static let burst = TimeAmount.milliseconds(10)
  /// How much of the burst must be available again before waiting work gets a turn, so that a turn is worth its timer.
  static let turn = TimeAmount.microseconds(1500)
  /// The highest debt; any excess is dropped.
  static let maxDebt = TimeAmount.seconds(1)
  /// The highest debt from work while no other owner sends.
  static let maxDebtAlone = TimeAmount.milliseconds(50)
  /// The most bytes that the owner's connections may hold back.
  static let maxWaitingBytes = 16 * 1024 * 1024
  /// Waiting work has a turn at least this often, and for at least `leastTurn` bytes, even with a large debt. Answers in progress add debt
  /// as well and cannot be stopped, so small messages must still get through.
  static let longestWait = TimeAmount.milliseconds(50)
  static let leastTurn = 2048
  /// The bytes of a connection that are processed at a time while others send, because their cost is known only afterwards.
  static let piece = 4096
  /// How many minimal turns a single piece of work may use in advance.
  private static let mostTurns = 32

  /// Processes up to `limit` bytes, or everything if it cannot be divided. Returns the number of bytes.
  typealias Work = (_ limit: Int) -> Int

  /// Unowned, because the object owns its shares. A connection retains it as long as it uses its share.
  unowned let shares: LoopShares
  /// Nil means no limit.
  private let part: Double?
  private var debt = TimeAmount.zero
  private var paidAt: NIODeadline
  private var isWorking = false
  private var waiting = Deque<Work>()
  private var isScheduled = false
  /// Bytes that may be processed in this turn although the part is used up.
  private var allowance = 0
  /// Bytes that the current work has processed in addition to its return value.
  private var counted = 0
  fileprivate private(set) var connections = 0
  /// Bytes that the owner's connections hold back.
  var waitingBytes = 0

  fileprivate init(_ shares: LoopShares, part: Double?) {
    self.shares = shares
    self.part = part
    paidAt = shares.now()
  }

  /// Counts a connection of the owner, until ``left()``.
  func joined() { connections += 1 }

  func left() {
    connections -= 1
    if connections == 0 { shares.sweep() }
  }

  fileprivate var isOver: Bool {
    payOff(until: shares.now())
    return connections == 0 && waiting.isEmpty && debt == .zero
  }

  /// Counts bytes that the current work processes in addition to its return value.
  func count(_ bytes: Int) { counted &+= bytes }

  /// Whether new work may run at once.
  var isFree: Bool { part == nil || waiting.isEmpty && !isSpent }

  /// Whether the limit applies now.
  var isShort: Bool { part != nil && shares.hasOthers(than: self, at: shares.now()) }

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

  /// Runs work of the owner, and counts its time.
  func spend<Result>(_ work: () -> Result) -> Result {
    guard !isWorking else { return work() }
    isWorking = true
    let began = shares.now()
    defer {
      let ended = shares.now()
      isWorking = false
      payOff(until: ended)
      let isAlone = !shares.hasOthers(than: self, at: ended)
      debt = min(isAlone ? Self.maxDebtAlone : Self.maxDebt, debt + (ended - began))
      shares.note(self, at: ended)
    }
    return work()
  }

  /// Runs work at once if the owner's part is not used up, otherwise in a later turn.
  func perform(size: Int, _ work: @escaping () -> Void) {
    guard !isFree else { return spend(work) }
    wait { _ in
      self.spend(work)
      return max(1, size)
    }
  }

  /// Makes work wait for its turn, behind other waiting work.
  func wait(_ work: @escaping Work) {
    waiting.append(work)
    schedule()
  }

  private func schedule() {
    guard !isScheduled, let part else { return }
    isScheduled = true
    let delay = isSpent ? Double((debt - Self.burst + Self.turn).nanoseconds) / part : 0
    shares.schedule(in: min(.nanoseconds(Int64(delay)), Self.longestWait)) { self.takeTurn() }
  }

  private func takeTurn() {
    isScheduled = false
    if isSpent {
      allowance = min(allowance + Self.leastTurn, Self.leastTurn)
      while allowance > 0, let work = waiting.popFirst() {
        let before = counted
        let done = work(allowance) + (counted &- before)
        allowance = max(allowance - done, -Self.mostTurns * Self.leastTurn)
      }
    } else {
      allowance = 0
      let began = shares.now()
      // This turn must limit itself, because other owners are only noticed between turns.
      while !isSpent, shares.now() - began < Self.burst, let work = waiting.popFirst() { _ = work(Self.piece) }
    }
    if !waiting.isEmpty { schedule() }
  }
}

/// The share that a connection's tasks count against. They may outlive both the connection and the server that made the share: without its
/// owner, the share would trap.
final class ConnectionShare {
  private(set) var share: LoopShare?
  private var shares: LoopShares?

  init(_ share: LoopShare?) { use(share) }

  /// From now on the tasks count against this share: a PROXY header says whose connection it is.
  func use(_ share: LoopShare?) { (self.share, shares) = (share, share?.shares) }
}
