import NIOCore
public import SocketIOProtocol
import Synchronization

/// One client in one namespace.
///
/// Everything may be called from any thread; calls of one thread keep their order. On the event loop of the client, where
/// `connected` and all synchronous listeners run, calls act at once: ``rooms`` and ``isConnected`` show what `join`, `leave` and
/// `disconnect` did, and events leave in the order of the calls, those of the server to a target included. Only listeners of
/// `onAnyOutgoing` are an exception: what they do follows the event they see. Once the client has left, calls do nothing.
///
/// Unchecked: the mutable state is touched on the event loop of the session only, except for what `shared` guards.
public final class Socket: @unchecked Sendable {
  /// The id the client knows as well.
  public let id: String
  public let namespace: String
  public let handshake: Handshake
  /// The auth payload with which the client joined, a JSON object; empty when there was none.
  public let auth: [UInt8]

  /// What is read on any thread. Only the event loop changes `joinedRooms`, so that it reads them without the lock, which
  /// broadcasts would pay for.
  private struct Shared {
    var transport: EngineTransport
    var isConnected = true
  }

  private let shared: Mutex<Shared>
  private let memory: SocketMemory
  private(set) var joinedRooms: Set<String> = []

  /// Whether the client has returned to a socket it had before: its id and rooms are those of then, and so is its data unless
  /// admission was asked again (`Recovery.skipAdmission`).
  public let isRecovered: Bool

  /// The private id by which the client may return; `nil` when it cannot.
  let pid: String?
  /// The number of the last event that was replayed: those up to it are not delivered again.
  var replayedThrough: UInt64 = 0
  let shard: LoopShard
  /// Whether the application was told that it has joined, and so is told when it leaves.
  var isAnnounced = false
  /// Whether `connected` is being called: what it emits comes before broadcasts of other threads that are on their way.
  var isWelcoming = false
  /// Whether `disconnecting` was called, so that leaving once more while it runs does nothing.
  var isLeaving = false
  /// Whether another thread has disconnected it: nothing more is sent, and it leaves when the loop has a turn.
  var isDismissed = false
  /// `nil` once the client has left.
  var session: Session?
  var memberIndex = 0
  var acks = PendingAcks()
  var pendingWork = SocketWork()
  let rule: ServerCore.Rule
  var listeners: Listeners
  /// Counts the changes of `listeners`, so that dispatching notices one.
  var listenerChanges = 0
  /// Events at which middleware looks that takes its time.
  var judging = 0

  init(
    id: String, namespace: String, auth: [UInt8], data: SocketData, session: Session, rule: ServerCore.Rule,
    pid: String? = nil, isRecovered: Bool = false
  ) {
    self.id = id
    self.pid = pid
    self.isRecovered = isRecovered
    self.namespace = namespace
    self.auth = auth
    shared = Mutex(Shared(transport: session.engine.transport))
    memory = SocketMemory(data)
    self.session = session
    self.rule = rule
    listeners = rule.handlers.listeners
    handshake = session.handshake
    shard = session.shard
  }

  /// What the application remembers with the socket: first what it gave on admission, or, if `isRecovered`, what there was
  /// when the client was lost, unless it was asked again (`Recovery.skipAdmission`).
  public var data: SocketData { memory.data }

  /// The value of this type in ``data``, to read, replace or, with `nil`, remove.
  public subscript<Value: Sendable>(type: Value.Type) -> Value? {
    get { memory.data[type] }
    set { memory.change { $0[type] = newValue } }
  }

  /// Changes what is remembered, with nobody else changing it meanwhile.
  ///
  /// The closure gets a copy, which takes the place of ``data`` when it returns or throws; until then others read what there was
  /// before. It may call whatever it likes, except for what changes a socket's data in another way: that would wait for itself.
  public func withData<Result: Sendable, Failure: Error>(
    _ body: (inout SocketData) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.change(body)
  }

  /// The rooms the client is in at this moment, without that of its own id. None once it has left.
  public var rooms: Set<String> { shared.withLock { _ in joinedRooms } }

  /// The transport the client uses at this moment; the last one once it has left.
  public var currentTransport: EngineTransport { shared.withLock { $0.transport } }

  /// Whether the client is in the namespace. It may leave at any moment.
  public var isConnected: Bool { shared.withLock { $0.isConnected } }

  /// Returns whether it was not in the room before. Called on the event loop, as the following.
  func noteJoining(_ room: String) -> Bool { shared.withLock { _ in joinedRooms.insert(room).inserted } }

  func noteLeaving(_ room: String) { shared.withLock { _ in _ = joinedRooms.remove(room) } }

  func noteLeavingAll() { shared.withLock { _ in joinedRooms = [] } }

  func noteUpgrade() { shared.withLock { $0.transport = .webSocket } }

  func noteEnd() { shared.withLock { $0.isConnected = false } }

  /// Sends an event to this client. One with a reserved name (`SocketEvent.reservedNames`) is not sent, and the log says so.
  ///
  /// - Parameters:
  ///   - isVolatile: Whether the client may miss it if it cannot take it at once.
  ///   - compress: Whether it may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  public func emit(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), isVolatile: Bool = false, compress: Bool = true
  ) {
    guard shard.core.mayEmit(event) else { return }
    guard pid != nil, let recovery = shard.core.recovery else {
      let outbound = OutboundEvent(
        event, arguments, namespace: namespace, shard.core.configuration.encoding(compress: compress))
      return shard.act(overtaking: shard.loop.inEventLoop && isWelcoming) { _ in
        self.deliver(outbound, isVolatile: isVolatile)
      }
    }
    let target = BroadcastTarget(namespace: namespace, rooms: [id], isVolatile: isVolatile, compress: compress)
    let isAwaited = shard.actsAtOnce
    recovery.send(event, arguments, to: target) { outbound in
      shard.hand(isAwaited: isAwaited) { _ in self.deliver(outbound, isVolatile: isVolatile) }
    }
    if isAwaited { shard.catchUp() }
  }

  /// Sends an event that is on its way to this socket's client, in the form for it.
  func deliver(_ event: OutboundEvent, isVolatile: Bool = false) {
    guard let session = reachableSession, !isVolatile || session.isWritable else { return }
    // A copy of a message has all sockets count who holds its parts.
    guard pid != nil, let numbered = event.numbered else {
      showOutgoing(event.name, event.arguments)
      return session.send(event.message)
    }
    if let number = numbered.number, number <= replayedThrough { return }
    showOutgoing(event.name, event.arguments)
    session.send(numbered.message)
  }

  /// `nil` once nothing more may be sent.
  var reachableSession: Session? { isDismissed ? nil : session }

  /// Sends an event to everybody else in the namespace, or in these rooms of it. One with a reserved name
  /// (`SocketEvent.reservedNames`) is not sent, and the log says so.
  ///
  /// - Parameters:
  ///   - rooms: Whoever is in any of them gets it: nobody if there are none. `nil`: everybody else in the namespace.
  ///   - except: Rooms, or ids of sockets, to leave out as well.
  ///   - isVolatile: Whether sockets that cannot take the event at once may miss it.
  ///   - isLocal: Whether only sockets of this server get it, where an adapter connects it with others.
  ///   - compress: Whether it may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
  public func broadcast(
    _ event: String, _ arguments: SocketArguments = SocketArguments(), to rooms: Set<String>? = nil,
    except: Set<String> = [], isVolatile: Bool = false, isLocal: Bool = false, compress: Bool = true
  ) {
    if let rooms, rooms.isEmpty { return }
    shard.core.broadcast(
      event, arguments,
      to: BroadcastTarget(
        namespace: namespace, rooms: rooms ?? [], except: except.union([id]), isVolatile: isVolatile,
        isLocal: isLocal, compress: compress))
  }

  /// Has the socket in a room, until it leaves the room or the namespace. Who may join which room is for the caller to decide; a
  /// socket's own id is a room, too.
  ///
  /// Nothing happens for a name with hundreds of marks on one letter: comparing such names takes the square of the marks.
  public func join(_ room: String) {
    guard shard.core.mayName(room) else { return }
    shard.act { $0.join(room, self) }
  }

  /// Takes the socket out of a room. Nothing happens where it is not in it.
  public func leave(_ room: String) {
    guard room.isCheapToCompare else { return }
    shard.act { $0.leave(room, self) }
  }

  /// Takes the socket out of all rooms but that of its own id.
  public func leaveAll() {
    shard.act { shard in for room in self.joinedRooms { shard.leave(room, self) } }
  }

  /// Removes the client from the namespace. Its session stays open unless `closingSession`. On the event loop of the client,
  /// `disconnecting` and `disconnected` are called before this returns.
  public func disconnect(closingSession: Bool = false) {
    guard shard.actsAtOnce else { return shard.hand { _ in self.dismiss(closingSession: closingSession) } }
    shard.catchUp()
    leaveNamespace(closingSession: closingSession)
  }

  /// Sends nothing more from here on, and leaves in a turn of its own: the application, which is told, may be amid something else.
  func dismiss(closingSession: Bool) {
    guard let session else { return }
    isDismissed = true
    if closingSession { for socket in session.sockets { socket.isDismissed = true } }
    shard.enqueue { _ in self.leaveNamespace(closingSession: closingSession) }
  }

  private func leaveNamespace(closingSession: Bool) {
    guard let session else { return }
    if closingSession {
      session.disconnectAll()
    } else {
      session.disconnect(self)
    }
  }
}
