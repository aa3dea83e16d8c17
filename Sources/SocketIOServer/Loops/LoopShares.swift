import DequeModule
import NIOCore

/// Shares an event loop's time among the owners of its connections: while others send as well, the work that one of them
/// causes by sending takes a part of it. What is more waits, each connection's in the order in which it came.
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
    sweep()
    return share
  }

  /// Drops shares that have no connection and no debt, so that nobody is rid of it by connecting anew. One that counts as
  /// sending stays: an owner who came back with a new share would have their former one as a neighbor.
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

  /// Whether somebody else sends as well.
  fileprivate func hasOthers(than share: LoopShare, at now: NIODeadline) -> Bool {
    let other = latest?.share == ObjectIdentifier(share) ? former : latest
    return other.map { now - $0.at < Self.presence } ?? false
  }

  fileprivate func schedule(in delay: TimeAmount, _ body: @escaping () -> Void) {
    let body = NIOLoopBound((self, body), eventLoop: loop)
    loop.scheduleTask(in: delay) { body.value.1() }
  }
}

/// The part of a loop's time that one owner has: a token bucket. Work makes a debt of time, which is paid off at the rate of
/// the part; beyond ``burst`` of it, further work waits.
final class LoopShare {
  static let burst = TimeAmount.milliseconds(10)
  /// How much of the burst has to be there again before what waits has its turn, so that a turn is worth its timer.
  static let turn = TimeAmount.microseconds(1500)
  /// Debt beyond this is forgiven.
  static let maxDebt = TimeAmount.seconds(1)
  /// The same for work while nobody else sends.
  static let maxDebtAlone = TimeAmount.milliseconds(50)
  /// Bytes that connections may hold back.
  static let maxWaitingBytes = 16 * 1024 * 1024
  /// What waits has a turn at least this often, and for at least so many bytes, however large the debt is. Answers that are
  /// under way make debt as well, and cannot be stopped: meanwhile small messages still get through.
  static let longestWait = TimeAmount.milliseconds(50)
  static let leastTurn = 2048
  /// Bytes of a connection that are worked on at a time while others send: what they cost is known afterwards only.
  static let piece = 4096
  /// How many turns of the least size a single piece of work may use up beforehand.
  private static let mostTurns = 32

  /// Works on so many bytes, or on all it has if it can only do that; answers on how many.
  typealias Work = (_ limit: Int) -> Int

  /// Unowned: they keep their shares. A connection keeps them as long as it may ask its share for something.
  unowned let shares: LoopShares
  /// Nil: without limit.
  private let part: Double?
  private var debt = TimeAmount.zero
  private var paidAt: NIODeadline
  private var isWorking = false
  private var waiting = Deque<Work>()
  private var isScheduled = false
  /// Bytes that may be worked on in a turn although the part is used up.
  private var allowance = 0
  /// Bytes that work was about beyond those it answers, so far.
  private var counted = 0
  fileprivate private(set) var connections = 0
  /// Bytes that the owner's connections hold back.
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

  fileprivate var isOver: Bool {
    payOff(until: shares.now())
    return connections == 0 && waiting.isEmpty && debt == .zero
  }

  /// Counts bytes that a piece of work is about beyond those it answers.
  func count(_ bytes: Int) { counted &+= bytes }

  /// Whether work that comes now is to be done at once.
  var isFree: Bool { part == nil || waiting.isEmpty && !isSpent }

  /// Whether there is a part to keep to.
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

  /// Does work of the owner's, and counts the time.
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

  /// Does work at once if the owner has not had its part, else when it has its turn.
  func perform(size: Int, _ work: @escaping () -> Void) {
    guard !isFree else { return spend(work) }
    wait { _ in
      self.spend(work)
      return max(1, size)
    }
  }

  /// Has work wait for its turn, behind what waits already.
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
      // Nobody may be there who shortens it: others are noted between turns only.
      while !isSpent, shares.now() - began < Self.burst, let work = waiting.popFirst() { _ = work(Self.piece) }
    }
    if !waiting.isEmpty { schedule() }
  }
}
