import SocketIOProtocol

/// An application's handlers for the sockets of a namespace. All are optional.
///
/// Asynchronous handlers (`admit`, `use`, and listeners with `answer` or `perform`) run in a task and may wait. All others run on the event
/// loop of the client, for speed, and must not block: all other clients of that loop would wait.
public struct NamespaceHandlers: Sendable {
  /// Decides whether a client may join. Without it, every client that the middleware (`use`) lets pass may join. It runs last, and its data
  /// is added to the data that the middleware set. It is cancelled when the client leaves or its session ends. It does not run for a client
  /// that returns by connection state recovery, unless `Recovery.skipAdmission` is off.
  public var admit: (@Sendable (ConnectRequest) async -> Admission)?
  /// Called when a client has joined. Events that its socket itself emits here are the first that it receives, with three exceptions: a
  /// client that returned by connection state recovery receives its missed events before; a recoverable client may receive broadcasts in
  /// progress before; and broadcasts made here keep their place.
  public var connected: (@Sendable (Socket) -> Void)?
  /// Called when an event was refused: by a packet middleware (`Socket.use`), because its arguments do not decode, or because an
  /// asynchronous listener threw. Without it, refused events are ignored; they are always logged at level debug. It is not called after the
  /// client has left.
  public var refused: (@Sendable (Socket, Socket.Event, any Error) -> Void)?
  /// Called when a client is leaving. Its socket's rooms can still be read, and `socket.broadcast(_, to: socket.rooms)` reaches their
  /// members, or no socket if there are no rooms. Events sent to the client itself from here on are not delivered.
  public var disconnecting: (@Sendable (Socket, DisconnectReason) -> Void)?
  /// Called when a client has left and its socket has left all rooms.
  public var disconnected: (@Sendable (Socket, DisconnectReason) -> Void)?

  /// The initial listeners of every socket of the namespace.
  var listeners = Listeners()
  private(set) var middleware: [Middleware] = []

  public init(
    admit: (@Sendable (ConnectRequest) async -> Admission)? = nil,
    connected: (@Sendable (Socket) -> Void)? = nil,
    disconnecting: (@Sendable (Socket, DisconnectReason) -> Void)? = nil,
    disconnected: (@Sendable (Socket, DisconnectReason) -> Void)? = nil
  ) {
    self.admit = admit
    self.connected = connected
    self.disconnecting = disconnecting
    self.disconnected = disconnected
  }

  /// Examines a client's request to join: sets the socket's data, or throws a `ConnectRefusal`.
  public typealias Middleware = @Sendable (ConnectRequest, inout SocketData) async throws -> Void

  /// Adds a step to admission. Steps run in the order in which they were added, before `admit`, until one throws. They are cancelled when
  /// the client leaves or its session ends.
  ///
  /// A client that returns by connection state recovery skips all steps and `admit`, unless `Recovery.skipAdmission` is off.
  ///
  /// A `ConnectRefusal` reaches the client unchanged. Any other error is logged as a warning, and the client is refused with "Internal
  /// error".
  public mutating func use(_ middleware: @escaping Middleware) {
    self.middleware.append(middleware)
  }

  /// Whether there is any step of admission.
  var asks: Bool { admit != nil || !middleware.isEmpty }
}
