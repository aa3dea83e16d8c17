import SocketIOProtocol

/// A message between the servers of a cluster.
enum ClusterMessage: Sendable {
  typealias RequestNumber = UInt64

  /// A server has connected. The others answer with a heartbeat.
  case hello
  case heartbeat
  /// A server leaves the cluster.
  case goodbye
  case broadcast(BroadcastTarget, event: String, SocketArguments)
  /// A broadcast that expects acknowledgements; the timeout is in milliseconds.
  case ask(RequestNumber, BroadcastTarget, event: String, SocketArguments, timeout: Milliseconds)
  case join(Set<String>, BroadcastTarget)
  case leave(Set<String>, BroadcastTarget)
  case disconnect(BroadcastTarget, closingSessions: Bool)
  case fetch(RequestNumber, BroadcastTarget)
  /// An event for the servers themselves. The number is set if the sender expects answers.
  case serverSide(RequestNumber?, namespace: String, event: String, SocketArguments)
  case reply(RequestNumber, ClusterReply)
}

/// A server's answer to a request of another server.
enum ClusterReply: Sendable {
  /// Some of the sockets that a `fetch` selects.
  case sockets([SocketSnapshot], isLast: Bool)
  /// Some of the ids of the sockets that were asked.
  case asked([String], isLast: Bool)
  /// The acknowledgement of one socket; `nil` if it did not answer.
  case acknowledged(String, SocketArguments?)
  /// The answer to a `serverSide` event; `nil` if the server has no handler for it.
  case answered(SocketArguments?)
}

extension ClusterMessage {
  /// The version of the message format. Messages of other versions are skipped.
  static let version: UInt8 = 2

  /// The longest time that `ask` waits on other servers, in milliseconds: one day.
  static let maxTimeout: Milliseconds = 86_400_000

  private enum Kind: UInt8 {
    case hello = 1
    case heartbeat, goodbye, broadcast, ask, join, leave, disconnect, fetch, serverSide, reply
  }

  func encoded(from server: SocketIOServer.ServerID) -> [UInt8] {
    var writer = WireWriter()
    writer.write(byte: Self.version)
    writer.write(server.number)
    write(to: &writer)
    return writer.bytes
  }

  private func write(to writer: inout WireWriter) {
    switch self {
    case .hello: writer.write(byte: Kind.hello.rawValue)
    case .heartbeat: writer.write(byte: Kind.heartbeat.rawValue)
    case .goodbye: writer.write(byte: Kind.goodbye.rawValue)
    case .broadcast(let target, let event, let arguments):
      writer.write(byte: Kind.broadcast.rawValue)
      writer.write(target)
      writer.write(event)
      writer.write(arguments)
    case .ask(let number, let target, let event, let arguments, let timeout):
      writer.write(byte: Kind.ask.rawValue)
      writer.write(number)
      writer.write(target)
      writer.write(event)
      writer.write(arguments)
      writer.write(UInt64(clamping: timeout))
    case .join(let rooms, let target):
      writer.write(byte: Kind.join.rawValue)
      writer.write(list: rooms) { $0.write($1) }
      writer.write(target)
    case .leave(let rooms, let target):
      writer.write(byte: Kind.leave.rawValue)
      writer.write(list: rooms) { $0.write($1) }
      writer.write(target)
    case .disconnect(let target, let closingSessions):
      writer.write(byte: Kind.disconnect.rawValue)
      writer.write(target)
      writer.write(closingSessions)
    case .fetch(let number, let target):
      writer.write(byte: Kind.fetch.rawValue)
      writer.write(number)
      writer.write(target)
    case .serverSide(let number, let namespace, let event, let arguments):
      writer.write(byte: Kind.serverSide.rawValue)
      writer.write(optional: number) { $0.write($1) }
      writer.write(namespace)
      writer.write(event)
      writer.write(arguments)
    case .reply(let number, let reply):
      writer.write(byte: Kind.reply.rawValue)
      writer.write(number)
      writer.write(reply)
    }
  }

  /// Decodes a message and its sender.
  static func decode(
    _ bytes: [UInt8]
  ) throws(WireFlaw) -> (sender: SocketIOServer.ServerID, message: ClusterMessage) {
    var reader = WireReader(bytes)
    let version = try reader.byte()
    guard version == Self.version else { throw .unknownVersion(version) }
    let sender = SocketIOServer.ServerID(number: try reader.number())
    let message = try read(from: &reader)
    guard reader.isAtEnd else { throw .malformed }
    return (sender, message)
  }

  private static func read(from reader: inout WireReader) throws(WireFlaw) -> ClusterMessage {
    let code = try reader.byte()
    guard let kind = Kind(rawValue: code) else { throw .unknownKind(code) }
    switch kind {
    case .hello: return .hello
    case .heartbeat: return .heartbeat
    case .goodbye: return .goodbye
    case .broadcast:
      return .broadcast(try reader.target(), event: try reader.text(), try reader.arguments())
    case .ask:
      return .ask(
        try reader.number(), try reader.target(), event: try reader.text(), try reader.arguments(),
        timeout: min(Milliseconds(clamping: try reader.number()), maxTimeout))
    case .join: return .join(try reader.rooms(), try reader.target())
    case .leave: return .leave(try reader.rooms(), try reader.target())
    case .disconnect: return .disconnect(try reader.target(), closingSessions: try reader.flag())
    case .fetch: return .fetch(try reader.number(), try reader.target())
    case .serverSide:
      let number = try reader.optional { reader throws(WireFlaw) in try reader.number() }
      return .serverSide(
        number, namespace: try reader.text(), event: try reader.text(), try reader.arguments())
    case .reply: return .reply(try reader.number(), try reader.reply())
    }
  }
}
