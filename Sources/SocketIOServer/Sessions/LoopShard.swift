import DequeModule
import NIOCore
import SocketIOProtocol
import Synchronization

/// The part of a server that lives on one event loop: sessions, their sockets, and one timer for all.
///
/// Unchecked: the state is accessed only on `loop`, except for `handedWork`. Other threads use `run`, `enqueue` and `hand`.
final class LoopShard: @unchecked Sendable {
  let core: ServerCore
  let loop: any EventLoop
  let index: Int
  private(set) var sessions: [String: Session] = [:]
  /// The namespaces with sockets on this loop.
  var namespaces: [String: NamespaceShard] = [:]
  /// Set if time is counted by owner.
  let shares: LoopShares?
  private var wheel: TimerWheel
  private var isTicking = false
  /// WebSockets with output since the last flush. A flush needs nothing else: the main cost of a broadcast to many clients is waiting for
  /// memory.
  private var unflushed: [WebSocketLink] = []
  /// Sessions whose waiting GET will be answered at the next flush.
  private var unanswered: [Session] = []
  /// Links whose client reads too slowly. They are closed at the end of the tick, never during a broadcast.
  private var overflowed: [WebSocketLink] = []
  private var isFlushScheduled = false
  private var links: [ObjectIdentifier: WebSocketLink] = [:]
  /// Waits for the end of WebSockets.
  private var departures: [(links: Set<ObjectIdentifier>, promise: EventLoopPromise<Void>)] = []
  private var recoverySweep: RecoverySweep?
  /// Set after a WebSocket has negotiated compression.
  var deflateStreams: DeflateStreams?
  /// Links with messages that wait for another turn.
  var turns: Deque<WebSocketLink> = []
  /// Queued work for sockets, and how much was ever queued. The count rises before the work can be taken.
  let handedWork = Mutex(HandedWork())
  let handedCount = Atomic<Int>(0)
  var performedCount = 0
  /// Whether work for sockets is running; further work is queued meanwhile.
  var isDelivering = false
  /// Set if the admin namespace is enabled.
  var observer: (any SocketObserver)?

  init(core: ServerCore, loop: any EventLoop, index: Int) {
    self.core = core
    self.loop = loop
    self.index = index
    shares = core.configuration.connectionOwner.map { _ in LoopShares(loop, part: core.configuration.maxLoopPart) }
    wheel = TimerWheel(tick: Self.tick(core.configuration), at: Milliseconds.uptime)
  }

  /// The time between two turns of the wheel: 1/32 of the shortest timeout, from 5 to 500 ms. A session that no request names is closed at
  /// most this much late, plus the time that the loop is busy. A session that a request names is closed on time (`liveSession`).
  private static func tick(_ configuration: SocketIOServer.Configuration) -> Milliseconds {
    let shortest = [
      configuration.pingInterval, configuration.pingTimeout, configuration.connectTimeout, configuration.upgradeTimeout,
    ].min()
    return min(500, max(5, (shortest ?? .seconds(1)).milliseconds / 32))
  }

  /// Runs `body` on the shard's loop, at once if already there. Calls of one thread keep their order.
  func run(_ body: @escaping @Sendable (LoopShard) -> Void) {
    if loop.inEventLoop {
      body(self)
    } else {
      loop.execute { body(self) }
    }
  }

  /// Runs work on the shard's loop when its owner has a turn.
  ///
  /// - Parameter size: The size of the input, in bytes.
  func work(for owner: String?, size: Int, _ body: @escaping @Sendable (LoopShard) -> Void) {
    run { shard in
      guard let shares = shard.shares else { return body(shard) }
      shares.share(of: owner).perform(size: size) { body(shard) }
    }
  }

  /// Runs `body` on the shard's loop after already queued work, even if called on the loop.
  func enqueue(_ body: @escaping @Sendable (LoopShard) -> Void) {
    loop.execute { body(self) }
  }

  // MARK: Sessions

  func add(_ session: Session) {
    sessions[session.id] = session
    session.tell(.opened)
    schedule(session)
  }

  /// The session that a request names. Its due timeouts run first, so the session may end here.
  func liveSession(_ sid: String) -> Session? {
    sessions[sid]?.catchUp(at: Milliseconds.uptime)
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

  /// Closes all sessions. The future succeeds when all current WebSockets are gone, at the latest after their close timeout.
  func shutDown() -> EventLoopFuture<Void> {
    for session in Array(sessions.values) {
      session.close(.serverShuttingDown, code: WebSocketFrame.CloseCode.goingAway)
    }
    guard !links.isEmpty else { return loop.makeSucceededVoidFuture() }
    let promise = loop.makePromise(of: Void.self)
    departures.append((Set(links.keys), promise))
    return promise.futureResult
  }

  /// Closes all WebSockets without a close frame, and all sessions.
  func dropConnections() {
    for link in Array(links.values) { link.abort() }
    for session in Array(sessions.values) { session.close(.transportClose) }
  }

  // MARK: Time

  /// Puts an entry on the wheel, or moves it if its deadline is now earlier.
  func schedule(_ entry: any TimerWheelEntry) {
    wheel.add(entry)
    if !isTicking { scheduleTick() }
  }

  private func scheduleTick() {
    isTicking = true
    loop.scheduleTask(deadline: .uptimeNanoseconds(UInt64(wheel.nextTurn(after: Milliseconds.uptime)) * 1_000_000)) {
      self.turnWheel()
    }
  }

  private func turnWheel() {
    isTicking = false
    let now = Milliseconds.uptime
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
    // Runs after already queued broadcasts, so that a burst costs each socket one write.
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

  /// Starts the regular removal of expired recovery data.
  func startRecoverySweep(_ store: RecoveryStore) {
    let sweep = recoverySweep ?? RecoverySweep(store, on: self)
    recoverySweep = sweep
    sweep.start()
  }
}
