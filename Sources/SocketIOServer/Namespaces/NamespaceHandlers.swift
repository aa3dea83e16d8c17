import SocketIOProtocol

/// What an application does with the sockets of a namespace. Everything is optional.
///
/// Where it runs: what is `async` (`admit`, `use`, whatever has `answer` or `perform`) runs in a task and may take its time.
/// Everything else runs on the event loop of the client, as nothing is quicker, and must not block: meanwhile all other
/// clients of that loop would wait.
public struct NamespaceHandlers: Sendable {
  /// Decides whether a client may join; without it everybody may whom the middleware (`use`) lets pass. It is asked last, and
  /// what it accepts with is added to the data that the middleware set. It is cancelled when the client leaves or its
  /// session ends. A client that returns by connection state recovery is not asked, unless `Recovery.skipAdmission` is off.
  public var admit: (@Sendable (ConnectRequest) async -> Admission)?
  /// A client has joined. What its socket itself emits here is the first thing it gets, with three exceptions: if it returned
  /// by connection state recovery, what it missed comes before; while recovery is on for it, broadcasts that are under way may;
  /// and what is broadcast here keeps its place.
  public var connected: (@Sendable (Socket) -> Void)?
  /// An event was refused: by a packet middleware (`Socket.use`), as its arguments are not what a listener takes, or as an
  /// asynchronous listener threw. Without it such events are ignored; either way they are logged at level debug. It is not
  /// called any more once the client has left.
  public var refused: (@Sendable (Socket, Socket.Event, any Error) -> Void)?
  /// A client is leaving: its socket's rooms can still be read, and `socket.broadcast(_, to: socket.rooms)` tells those who are in
  /// them, nobody if it is in none. What is sent to the client itself from here on does not arrive.
  public var disconnecting: (@Sendable (Socket, DisconnectReason) -> Void)?
  /// A client has left, and with it its socket all rooms.
  public var disconnected: (@Sendable (Socket, DisconnectReason) -> Void)?

  /// What every socket of the namespace begins with.
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

  /// Looks at a client's wish to join: sets what the socket is to remember, or throws a `ConnectRefusal`.
  public typealias Middleware = @Sendable (ConnectRequest, inout SocketData) async throws -> Void

  /// Adds a step to admission. Steps are asked one after another, in the order in which they were added and before `admit`,
  /// until one throws. It is cancelled when the client leaves or its session ends.
  ///
  /// A client that returns by connection state recovery skips all steps, and `admit`, unless `Recovery.skipAdmission` is off.
  ///
  /// A `ConnectRefusal` reaches the client as it is. Any other error is logged as a warning, and the client is refused with
  /// "Internal error".
  public mutating func use(_ middleware: @escaping Middleware) {
    self.middleware.append(middleware)
  }

  /// Whether anybody is asked before a client joins.
  var asks: Bool { admit != nil || !middleware.isEmpty }
}
