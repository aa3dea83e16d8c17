/// A point on, or a length of, the monotonic clock of whoever drives a state machine, in milliseconds.
///
/// The state machines read no clock: every method that needs the time takes it as a parameter.
public typealias Milliseconds = Int64

/// The revision of the Engine.IO protocol a peer speaks.
public enum EngineRevision: Int, Sendable {
  /// Socket.IO v1 and v2 clients: the client pings, payloads are length-prefixed.
  case v3 = 3
  /// Socket.IO v3 and v4 clients: the server pings, payloads are separated by `0x1e`.
  case v4 = 4

  /// Reads the `EIO` query parameter. Absent or empty means revision 3, as clients of that time never sent it.
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

/// The two ways Engine.IO packets travel.
public enum EngineTransport: String, Sendable {
  case polling
  case webSocket = "websocket"
}
