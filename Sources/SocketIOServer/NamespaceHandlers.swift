public import SocketIOProtocol

/// What an application does with the sockets of a namespace. All closures are optional.
///
/// Except for `admit` they run on the event loop of the client: they must not block.
public struct NamespaceHandlers: Sendable {
  /// Decides whether a client may join; without it everybody may. It may take its time; it is cancelled when the client
  /// leaves or its session ends.
  public var admit: (@Sendable (ConnectRequest) async -> Admission)?
  /// A client has joined; what is emitted here is the first thing it gets.
  public var connected: (@Sendable (Socket) -> Void)?
  /// A client sent an event. Events of a namespace without this handler are ignored.
  public var event: (@Sendable (Socket, Event) -> Void)?
  /// A client has left.
  public var disconnected: (@Sendable (Socket, DisconnectReason) -> Void)?

  public init(
    admit: (@Sendable (ConnectRequest) async -> Admission)? = nil,
    connected: (@Sendable (Socket) -> Void)? = nil,
    event: (@Sendable (Socket, Event) -> Void)? = nil,
    disconnected: (@Sendable (Socket, DisconnectReason) -> Void)? = nil
  ) {
    self.admit = admit
    self.connected = connected
    self.event = event
    self.disconnected = disconnected
  }
}

/// A client's wish to join a namespace.
public struct ConnectRequest: Sendable {
  public let namespace: String
  /// The client's auth payload, a JSON object; empty when there is none.
  public let auth: [UInt8]
  public let handshake: Handshake
}

/// The answer to a `ConnectRequest`.
public enum Admission: Sendable {
  /// The client joins; its socket carries this data.
  case accept(SocketData = SocketData())
  /// The client gets a CONNECT_ERROR with this message, and `data` if it is not empty: one JSON value.
  case refuse(message: String, data: [UInt8] = [])
}

/// What an application remembers with a socket.
public struct SocketData: Equatable, Sendable {
  public var number: Int64?
  public var text: String?

  public init(number: Int64? = nil, text: String? = nil) {
    self.number = number
    self.text = text
  }
}

/// An event a client sent.
public struct Event: Sendable {
  public let name: String
  /// The arguments as raw JSON, and their binary attachments.
  public let arguments: SocketArguments
  /// Answers the event; `nil` when the client asked for no acknowledgement. Only the first call counts.
  public let acknowledge: (@Sendable (SocketArguments) -> Void)?
}
