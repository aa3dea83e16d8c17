import NIOCore
public import SocketIOProtocol
import Synchronization

/// One client in one namespace.
///
/// All members may be called from any thread; calls of one thread keep their order. On the event loop of the client, where `connected` and
/// all synchronous listeners run, calls have effect at once: ``rooms`` and ``isConnected`` show the result of `join`, `leave` and
/// `disconnect`, and events are sent in the order of the calls, including those of the server to a target. The only exception are listeners
/// of `onAnyOutgoing`: their calls have effect after the event that they see. After the client has left, calls do nothing.
///
/// Unchecked: the mutable state is accessed only on the event loop of the session, except for the parts that `shared` guards.
public final class Socket: @unchecked Sendable {
  /// The id, which the client knows too.
  public let id: String
  public let namespace: String
  public let handshake: Handshake
  /// The auth payload of the client's CONNECT, a JSON object; empty if there was none.
  public let auth: [UInt8]

  /// State that any thread may read. Only the event loop changes `joinedRooms`, so it can read them without the lock, which would slow down
  /// broadcasts.
  private struct Shared {
    var transport: EngineTransport
    var isConnected = true
  }

  private let shared: Mutex<Shared>
  private let memory: SocketMemory
  private(set) var joinedRooms: Set<String> = []

  /// Whether the client has returned to a former socket, with its former id, rooms and data. If admission ran again, the data is new
  /// (`Recovery.skipAdmission`).
  public let isRecovered: Bool

  /// The private id by which the client may return; `nil` if it cannot.
  let pid: String?
  /// The number of the last replayed event. Events up to it are not delivered again.
  var replayedThrough: UInt64 = 0
  let shard: LoopShard
  /// Whether the application was notified that it joined, and so must be notified when it leaves.
  var isAnnounced = false
  /// Whether `connected` is running: events that it emits are sent before waiting broadcasts of other threads.
  var isWelcoming = false
  /// Whether `disconnecting` was called, so that leaving again during that call does nothing.
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
  /// Counts the changes of `listeners`, so that dispatching notices a change.
  var listenerChanges = 0
  /// Events that wait for asynchronous middleware, or that it is examining.
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

  /// The application's data of the socket: first the data from admission, or, if `isRecovered`, the data from when the client was lost,
  /// unless admission ran again (`Recovery.skipAdmission`).
  public var data: SocketData { memory.data }

  /// The value of this type in ``data``. Setting `nil` removes it.
  public subscript<Value: Sendable>(type: Value.Type) -> Value? {
    get { memory.data[type] }
    set { memory.change { $0[type] = newValue } }
  }

  /// Changes the data without concurrent changes.
  ///
  /// The closure gets a copy, which replaces ``data`` when the closure returns or throws; until then other readers see the old data. It
  /// must not change a socket's data in another way: that would deadlock. All other calls are allowed.
  public func withData<Result: Sendable, Failure: Error>(
    _ body: (inout SocketData) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try memory.change(body)
  }

  /// The rooms that the client is in now, without that of its own id. Empty after it has left.
  public var rooms: Set<String> { shared.withLock { _ in joinedRooms } }

  /// The client's current transport; the last one after it has left.
  public var currentTransport: EngineTransport { shared.withLock { $0.transport } }

  /// Whether the client is in the namespace. It may leave at any moment.
  public var isConnected: Bool { shared.withLock { $0.isConnected } }

  /// Returns whether the socket was not in the room before. This method and the following ones are called on the event loop.
  func noteJoining(_ room: String) -> Bool { shared.withLock { _ in joinedRooms.insert(room).inserted } }

  func noteLeaving(_ room: String) { shared.withLock { _ in _ = joinedRooms.remove(room) } }

  func noteLeavingAll() { shared.withLock { _ in joinedRooms = [] } }

  func noteUpgrade() { shared.withLock { $0.transport = .webSocket } }

  func noteEnd() { shared.withLock { $0.isConnected = false } }

  /// Sends an event to this client. An event with a reserved name (`SocketEvent.reservedNames`) is logged and not sent.
  ///
  /// - Parameters:
  ///   - isVolatile: Whether the client may miss it if it cannot receive it at once.
  ///   - compress: Whether the event may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
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

  /// Sends an encoded event to this socket's client, in the client's form.
  func deliver(_ event: OutboundEvent, isVolatile: Bool = false) {
    guard let session = reachableSession, !isVolatile || session.isWritable else { return }
    // Uses the message without a copy: copying makes all sockets count references to its parts.
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

  /// Sends an event to all other sockets in the namespace, or in these rooms of it. An event with a reserved name
  /// (`SocketEvent.reservedNames`) is logged and not sent.
  ///
  /// - Parameters:
  ///   - rooms: Sockets in any of these rooms receive it; no socket if the set is empty. `nil`: all other sockets in the namespace.
  ///   - except: Rooms, or ids of sockets, to exclude as well.
  ///   - isVolatile: Whether sockets that cannot receive the event at once may miss it.
  ///   - isLocal: Whether only sockets of this server receive it, if an adapter connects it with others.
  ///   - compress: Whether the event may be compressed (`Configuration.perMessageDeflate`, `compressionThreshold`).
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

  /// Adds the socket to a room, until it leaves the room or the namespace. The caller decides who may join which room; a socket's own id is
  /// a room, too.
  ///
  /// Does nothing for a name with hundreds of combining marks on one letter, because the time to compare such names grows with the square
  /// of the number of marks.
  public func join(_ room: String) {
    guard shard.core.mayName(room) else { return }
    shard.act { $0.join(room, self) }
  }

  /// Removes the socket from a room. Does nothing if it is not in it.
  public func leave(_ room: String) {
    guard room.isCheapToCompare else { return }
    shard.act { $0.leave(room, self) }
  }

  /// Removes the socket from all rooms except that of its own id.
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

  /// Stops sending from now on, and leaves in a later turn, because the application, which is notified, may be doing something else.
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
