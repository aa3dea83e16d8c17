/// A time of the caller's monotonic clock, or a duration, in milliseconds.
///
/// The state machines read no clock: every method that needs the time takes it as a parameter.
public typealias Milliseconds = Int64

/// A peer's revision of the Engine.IO protocol.
public enum EngineRevision: Int, Sendable {
  /// Socket.IO v1 and v2 clients: the client pings, and payloads are length-prefixed.
  case v3 = 3
  /// Socket.IO v3 and v4 clients: the server pings, and payloads are separated by `0x1e`.
  case v4 = 4

  /// Parses the `EIO` query parameter. If it is absent or empty, the revision is 3, because clients of that time did not send it.
  ///
  /// - Returns: `nil` for any value other than 3 and 4.
  public init?(query: String?) {
    guard let query, !query.isEmpty else {
      self = .v3
      return
    }
    switch query {
    case "3": self = .v3
    case "4": self = .v4
    default: return nil
    }
  }
}

/// The two transports of Engine.IO packets.
public enum EngineTransport: String, Sendable {
  case polling
  case webSocket = "websocket"
}
