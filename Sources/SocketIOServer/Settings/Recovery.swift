extension SocketIOServer {
  /// Connection state recovery: a client whose connection was lost returns to its socket, with its id, rooms and data, and receives the
  /// events that it missed.
  ///
  /// Every event then carries its number as an additional last argument, for the clients selected by `offsets`. Not recovered are clients
  /// that left by themselves or were removed, pending acknowledgements, and volatile events. Missed events follow the CONNECT answer, so
  /// that clients which ignore events before it receive them too.
  public struct Recovery: Sendable {
    /// Selects the clients that get numbered events, and so can be recovered.
    public enum Offsets: Sendable {
      /// Clients that ask for it, by `recovery=1` in the query of the handshake or by a private id in the CONNECT. No other client sees
      /// numbers in its events.
      case capableClients
      /// All clients of Engine.IO 4, as in the reference server. The standard JavaScript client needs no setting, and all its handlers see
      /// the number as an argument. `SocketIOClient` removes it.
      case always
    }

    /// The longest time that a client may be gone.
    public var maxDisconnectionDuration: Duration = .seconds(120)
    /// Whether a recovered client joins without running `NamespaceHandlers.use` and `admit` again. By default it skips all middleware of
    /// its namespace, as with `skipMiddlewares` in the reference server. If they run again, their new data replaces the old; in a namespace
    /// without either, the data stays.
    public var skipAdmission = true
    public var offsets = Offsets.always
    /// The most events kept for the clients of a namespace.
    public var maxPacketsPerNamespace = 10_000
    /// The most bytes of events kept for the clients of a namespace.
    public var maxBytesPerNamespace = 4_194_304
    /// The most bytes of events kept in all.
    public var maxBytes = 67_108_864
    /// The most lost clients that are remembered at a time; beyond that, the earliest lost are removed.
    public var maxSessions = 10_000

    public init() {}
  }
}
