import MadangAPI
import NIOHTTP1
import SocketIOProtocol

/// What a server sent into a namespace.
struct RoomEvent {
  let name: String
  let arguments: [JSON]

  /// The one chat it carries.
  func chat() throws -> JSON {
    guard arguments.count == 1, case .object? = arguments.first else {
      throw Violation(
        expected: "one JSON object as the only argument",
        seen: "\(arguments.count): " + arguments.map(\.masked.text).joined(separator: ", ").shortened)
    }
    return arguments[0]
  }
}

extension SocketPacket {
  /// As it stands in an Engine.IO message.
  var wireText: String { "4" + String(decoding: encodedText, as: UTF8.self).shortened }

  /// The difference behind a refusal that is neither for missing access nor for bad credentials.
  var causeOfRefusal: Cause? {
    guard kind == .connectError, namespace != "/", case .text(let message)? = (try? JSON(payload))?["message"],
      message != "not allowed", ErrorCode(rawValue: message) == nil
    else { return nil }
    return .namespaceNames
  }
}

extension EngineSocket {
  /// Asks to join a namespace and answers what comes back for it.
  func connect(_ namespace: String, payload: JSON? = nil) async throws -> SocketPacket {
    if case .text(let token)? = payload?["token"] { remember(token: token) }
    try await send(SocketPacket(.connect, namespace: namespace, payload: payload.map { Array($0.text.utf8) } ?? []))
    return try await next(in: namespace, "an answer to 40\(namespace),")
  }

  /// Joins a namespace.
  func join(_ namespace: String, payload: JSON? = nil) async throws {
    if let refusal = try await refusal(of: namespace, payload: payload) { throw refusal }
  }

  /// Joins a namespace; nil if the server accepts the client.
  func refusal(of namespace: String, payload: JSON? = nil) async throws -> Violation? {
    let answer = try await connect(namespace, payload: payload)
    guard answer.kind != .connect else { return nil }
    return Violation(expected: "40\(namespace),", seen: answer.wireText, cause: answer.causeOfRefusal)
  }

  /// Joins a room's namespace with the credentials of a person in the payload.
  func join(_ room: Room, as person: Person) async throws {
    try await join(try room.namespace, payload: person.credentials)
  }

  func leave(_ namespace: String) async throws { try await send(SocketPacket(.disconnect, namespace: namespace)) }

  /// The next packet of a namespace; those of others are lost.
  func next(in namespace: String, _ expected: String) async throws -> SocketPacket {
    while true {
      let packet = try await nextMessage(expected)
      if packet.namespace == namespace { return packet }
    }
  }

  /// The next event, in whatever namespace.
  func event() async throws -> (namespace: String, event: RoomEvent) {
    while true {
      let packet = try await nextForEvent()
      switch packet.kind {
      case .connect: continue
      case .event: break
      default: throw Violation(expected: "an event", seen: packet.wireText)
      }
      guard let json = try? JSON(packet.payload), case .list(let list) = json, case .text(let name)? = list.first else {
        throw Violation(expected: "an event", seen: packet.wireText)
      }
      return (packet.namespace, RoomEvent(name: name, arguments: Array(list.dropFirst())))
    }
  }

  private func nextForEvent() async throws -> SocketPacket {
    do { return try await nextMessage("an event") } catch var violation as Violation {
      if isOfAuthor { violation.cause = .noEcho }
      throw violation
    }
  }

  /// The content of the chat that comes next.
  func content() async throws -> String { try await event().event.chat().text("content") }
}

extension Person {
  /// As the payload of a connect carries them.
  var credentials: JSON { [HeaderName.apiKey: .text(trial.key), "token": .text(token)] }

  /// As headers of the handshake.
  var credentialHeaders: [(String, String)] {
    [(HeaderName.apiKey, trial.key), (HeaderName.authorization, token)]
  }

  /// As query items of the handshake.
  var credentialQuery: String {
    "&\(HeaderName.apiKey)=\(percentEncoded(trial.key))&\(HeaderName.authorization)=\(percentEncoded(token))"
  }
}

extension Trial {
  /// Runs `body` with a session, which ends with it.
  func withSocket<Result: Sendable>(
    _ carrier: EngineSocket.Carrier = .webSocket, _ handshake: EngineSocket.Handshake = .init(),
    _ body: (EngineSocket) async throws -> Result
  ) async throws -> Result {
    let socket = try await EngineSocket.open(server, carrier, handshake)
    do {
      let result = try await body(socket)
      await socket.close()
      return result
    } catch {
      await socket.close()
      throw error
    }
  }

  /// Runs `body` with a session that has joined a room as a person.
  func withSocket<Result: Sendable>(
    in room: Room, as person: Person, _ carrier: EngineSocket.Carrier = .webSocket,
    _ body: (EngineSocket) async throws -> Result
  ) async throws -> Result {
    try await withSocket(carrier) { socket in
      try await socket.join(room, as: person)
      return try await body(socket)
    }
  }

  /// The answer to the first request of a session, whatever it is.
  func handshake(_ query: String, headers: [(String, String)] = []) async throws -> Answer {
    try await server.send(.GET, "/socket.io/?" + query, headers: headers, hasSession: true)
  }
}
