extension SocketIOServer {
  /// Connection state recovery: a client whose connection was lost returns to its socket, with its id, rooms and data,
  /// and gets the events it has missed.
  ///
  /// Every event then carries its number as one more argument, at the end, for the clients of `offsets`. Not recovered
  /// are clients that left by themselves or were removed, acknowledgements that were under way, and volatile events.
  /// What is missed follows the CONNECT answer, so that clients which ignore events before it get it too.
  public struct Recovery: Sendable {
    /// Which clients get numbered events, and so can be recovered.
    public enum Offsets: Sendable {
      /// Those that ask for it: the item `recovery=1` in the query of the handshake, or a private id with the CONNECT.
      /// No other client sees numbers in its events.
      case capableClients
      /// All clients of Engine.IO 4, as the reference server does: the standard JavaScript client needs no setting, and every handler
      /// of it sees the number as an argument. `SocketIOClient` takes it out.
      case always
    }

    /// How long a client may be gone.
    public var maxDisconnectionDuration: Duration = .seconds(120)
    /// Whether a recovered client joins without asking `NamespaceHandlers.use` and `admit` again: by default it skips all
    /// middleware of its namespace, as `skipMiddlewares` has it in the reference. If they are asked again, the data of their new
    /// answer takes the place of that of before; in a namespace without either its data stays.
    public var skipAdmission = true
    public var offsets = Offsets.always
    /// The most events kept for the clients of a namespace.
    public var maxPacketsPerNamespace = 10_000
    /// The most bytes of events kept for the clients of a namespace.
    public var maxBytesPerNamespace = 4_194_304
    /// The most bytes of events kept in all.
    public var maxBytes = 67_108_864
    /// The most clients awaited at a time; beyond, those that are gone the longest are forgotten.
    public var maxSessions = 10_000

    public init() {}
  }
}
