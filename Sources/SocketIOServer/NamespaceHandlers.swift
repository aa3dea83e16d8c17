public import SocketIOProtocol

/// What an application does with the sockets of a namespace. All closures are optional.
///
/// Except for `admit` and asynchronous event handlers they run on the event loop of the client: they must not block.
public struct NamespaceHandlers: Sendable {
  /// Decides whether a client may join; without it everybody may. It may take its time; it is cancelled when the client
  /// leaves or its session ends.
  public var admit: (@Sendable (ConnectRequest) async -> Admission)?
  /// A client has joined; what is emitted here is the first thing it gets, unless it returned by connection state
  /// recovery: then what it missed comes before.
  public var connected: (@Sendable (Socket) -> Void)?
  /// A client sent an event, whatever its name. It sees each event before the handler for its name does. Events nobody
  /// handles are ignored.
  public var event: (@Sendable (Socket, Event) -> Void)?
  /// A client sent an event whose arguments its handler could not take. Without it such events are ignored; either way
  /// they are logged at level debug.
  public var malformed: (@Sendable (Socket, Event, any Error) -> Void)?
  /// A client has left.
  public var disconnected: (@Sendable (Socket, DisconnectReason) -> Void)?

  typealias NamedHandler = @Sendable (Socket, Event) throws -> Void
  private(set) var named: [String: NamedHandler] = [:]

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

  /// Handles the events with this name; it takes the place of an earlier handler for it.
  public mutating func on(_ name: String, _ body: @escaping @Sendable (Socket, Event) -> Void) {
    named[name] = body
  }

  /// Handles the events with this name whose first argument is such a value; others are `malformed`. The client's
  /// acknowledgement, if it asked for one, is the third argument.
  public mutating func on<Value: Decodable & Sendable>(
    _ name: String, as type: Value.Type, _ body: @escaping @Sendable (Socket, Value, Acknowledgement?) -> Void
  ) {
    named[name] = { socket, event in body(socket, try event.arguments.decode(type), event.acknowledge) }
  }

  /// Handles the events with this name in a task of the socket, and acknowledges them with what the body returns. An
  /// error it throws is `malformed`, and not acknowledged.
  ///
  /// One event of a socket is handled at a time, in the order of their arrival. The task is cancelled when the client
  /// leaves; a client with more than `maxWaitingEvents` events waiting is disconnected.
  public mutating func on<Value: Decodable & Sendable, Answer: Encodable & Sendable>(
    _ name: String, as type: Value.Type, answer body: @escaping @Sendable (Socket, Value) async throws -> Answer
  ) {
    named[name] = { socket, event in
      let value = try event.arguments.decode(type)
      socket.work {
        do {
          let answer = try await body(socket, value)
          try event.acknowledge?(answer)
        } catch is CancellationError {
        } catch {
          socket.refuse(event, error)
        }
      }
    }
  }
}

/// A client's wish to join a namespace.
public struct ConnectRequest: Sendable {
  public let namespace: String
  /// The client's auth payload, a JSON object; empty when there is none.
  public let auth: [UInt8]
  public let handshake: Handshake
  /// The `Origin` of the session's latest request that had one. Web pages send none when they open a session of their own
  /// origin by polling, but with the request that carries their wish.
  public let origin: String?
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
  public let acknowledge: Acknowledgement?
}

/// The way to answer an event. Only the first call counts; it may be made from any thread, at any time.
public struct Acknowledgement: Sendable {
  let send: @Sendable (SocketArguments) -> Void

  /// Answers with these arguments.
  public func callAsFunction(_ arguments: SocketArguments = SocketArguments()) {
    send(arguments)
  }
}
