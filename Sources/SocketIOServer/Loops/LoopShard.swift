import DequeModule
import NIOCore
import SocketIOProtocol
import Synchronization

/// The part of a server that lives on one event loop: sessions, their sockets, and one timer for all.
///
/// Unchecked: the state is touched on `loop` only, except for `handedWork`; `run`, `enqueue` and `hand` are the ways in from elsewhere.
final class LoopShard: @unchecked Sendable {
  let core: ServerCore
  let loop: any EventLoop
  let index: Int
  private(set) var sessions: [String: Session] = [:]
  /// Those with sockets on this loop.
  var namespaces: [String: NamespaceShard] = [:]
  /// Set when the time of owners is counted.
  let shares: LoopShares?
  private var wheel: TimerWheel
  private var isTicking = false
  /// WebSockets to which something was written since the last flush. A flush finds all it needs in them: a broadcast to many waits for
  /// memory more than for anything else.
  private var unflushed: [WebSocketLink] = []
  /// Sessions whose waiting GET is to be answered at the next flush.
  private var unanswered: [Session] = []
  /// Links whose client does not keep up. They are closed at the end of the tick, never amid a broadcast.
  private var overflowed: [WebSocketLink] = []
  private var isFlushScheduled = false
  private var links: [ObjectIdentifier: WebSocketLink] = [:]
  /// WebSockets whose end is waited for, and who waits.
  private var departures: [(links: Set<ObjectIdentifier>, promise: EventLoopPromise<Void>)] = []
  private var recoverySweep: RecoverySweep?
  /// Set once a WebSocket has negotiated compression.
  var deflateStreams: DeflateStreams?
  /// Those with messages that wait for a further turn.
  var turns: Deque<WebSocketLink> = []
  /// Work for sockets that waits for the loop, and how much was ever handed over: work counts before it can be taken.
  let handedWork = Mutex(HandedWork())
  let handedCount = Atomic<Int>(0)
  var performedCount = 0
  /// Whether work for sockets is being done: what is asked for meanwhile is handed over.
  var isDelivering = false
  /// Set when somebody may watch the server.
  var admin: AdminHub?

  init(core: ServerCore, loop: any EventLoop, index: Int) {
    self.core = core
    self.loop = loop
    self.index = index
    shares = core.configuration.connectionOwner.map { _ in LoopShares(loop, part: core.configuration.maxLoopPart) }
    wheel = TimerWheel(tick: Self.tick(core.configuration), at: Self.now)
  }

  /// How far apart the wheel's turns are: 1/32 of the shortest time-out, from 5 to 500 ms. A session that no request names
  /// is closed at most this late, plus the time the loop is busy; one that a request names is closed on time
  /// (`liveSession`).
  private static func tick(_ configuration: SocketIOServer.Configuration) -> Milliseconds {
    let shortest = [
      configuration.pingInterval, configuration.pingTimeout, configuration.connectTimeout, configuration.upgradeTimeout,
    ].min()
    return min(500, max(5, (shortest ?? .seconds(1)).milliseconds / 32))
  }

  static var now: Milliseconds { Milliseconds(NIODeadline.now().uptimeNanoseconds / 1_000_000) }

  /// Runs `body` on the shard's loop, at once when already there; calls of one thread keep their order.
  func run(_ body: @escaping @Sendable (LoopShard) -> Void) {
    if loop.inEventLoop {
      body(self)
    } else {
      loop.execute { body(self) }
    }
  }

  /// Does work on the shard's loop, when its owner has a turn.
  ///
  /// - Parameter size: Of what is worked on, in bytes.
  func work(for owner: String?, size: Int, _ body: @escaping @Sendable (LoopShard) -> Void) {
    run { shard in
      guard let shares = shard.shares else { return body(shard) }
      shares.share(of: owner).perform(size: size) { body(shard) }
    }
  }

  /// Runs `body` on the shard's loop behind what is queued there already, also when called on it.
  func enqueue(_ body: @escaping @Sendable (LoopShard) -> Void) {
    loop.execute { body(self) }
  }

  // MARK: Sessions

  func add(_ session: Session) {
    sessions[session.id] = session
    session.tell(.opened)
    schedule(session)
  }

  /// The session that a request names. What is due for it is done first, so it may end here.
  func liveSession(_ sid: String) -> Session? {
    sessions[sid]?.catchUp(at: Self.now)
    return sessions[sid]
  }

  func remove(_ session: Session) {
    guard sessions.removeValue(forKey: session.id) != nil else { return }
    wheel.remove(session)
    session.release()
  }

  func add(_ link: WebSocketLink) {
    links[ObjectIdentifier(link)] = link
  }

  func remove(_ link: WebSocketLink) {
    links[ObjectIdentifier(link)] = nil
    wheel.remove(link)
    for index in departures.indices { departures[index].links.remove(ObjectIdentifier(link)) }
    for departure in departures where departure.links.isEmpty { departure.promise.succeed() }
    departures.removeAll { $0.links.isEmpty }
  }

  /// Closes every session; the future succeeds when all WebSockets that are there now are gone, which their close time-out bounds.
  func shutDown() -> EventLoopFuture<Void> {
    for session in Array(sessions.values) {
      session.close(.serverShuttingDown, code: WebSocketFrame.CloseCode.goingAway)
    }
    guard !links.isEmpty else { return loop.makeSucceededVoidFuture() }
    let promise = loop.makePromise(of: Void.self)
    departures.append((Set(links.keys), promise))
    return promise.futureResult
  }

  /// Closes the WebSockets without a close frame, and every session.
  func dropConnections() {
    for link in Array(links.values) { link.abort() }
    for session in Array(sessions.values) { session.close(.transportClose) }
  }

  // MARK: Time

  /// Puts an entry on the wheel, or moves it when its deadline came nearer.
  func schedule(_ entry: any TimerWheelEntry) {
    wheel.add(entry)
    if !isTicking { scheduleTick() }
  }

  private func scheduleTick() {
    isTicking = true
    loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(wheel.nextTurn(after: Self.now)) * 1_000_000)) {
      self.turnWheel()
    }
  }

  private func turnWheel() {
    isTicking = false
    let now = Self.now
    for entry in wheel.advance(to: now) { entry.timerFired(at: now) }
    if wheel.count > 0, !isTicking { scheduleTick() }
  }

  // MARK: Flushing

  func needsFlush(_ link: WebSocketLink) {
    guard !link.isFlushDue else { return }
    link.isFlushDue = true
    unflushed.append(link)
    scheduleFlush()
  }

  func needsAnswer(_ session: Session) {
    guard !session.isAnswerDue else { return }
    session.isAnswerDue = true
    unanswered.append(session)
    scheduleFlush()
  }

  func hasOverflowed(_ link: WebSocketLink) {
    overflowed.append(link)
    scheduleFlush()
  }

  private func scheduleFlush() {
    guard !isFlushScheduled else { return }
    isFlushScheduled = true
    // Runs behind the broadcasts that are queued already, so that a burst costs each socket one write.
    loop.execute { self.flush() }
  }

  private func flush() {
    isFlushScheduled = false
    let links = unflushed
    unflushed.removeAll(keepingCapacity: links.count <= 4096)
    for link in links {
      link.isFlushDue = false
      link.flush()
    }
    let sessions = unanswered
    unanswered = []
    for session in sessions {
      session.isAnswerDue = false
      session.answerPoll()
    }
    let slow = overflowed
    overflowed = []
    for link in slow { link.closeAsTooSlow() }
  }

  // MARK: Recovery

  /// There is something to forget when its time has come.
  func startRecoverySweep(_ store: RecoveryStore) {
    let sweep = recoverySweep ?? RecoverySweep(store, on: self)
    recoverySweep = sweep
    sweep.start()
  }
}
