import HTTPTypes
import Logging
import NIOCore
import SocketIOProtocol

/// Log lines that name the cause and the cure of common client mistakes, because most clients do not show them.
extension ServerCore {
  func log(_ flaw: RequestFlaw, of request: EngineRequest) {
    advise(flaw.isWorthReading ? .info : .debug, advice(on: flaw, of: request), metadata: metadata(of: request))
  }

  private func metadata(of request: EngineRequest) -> Logger.Metadata {
    let eio = LogText(request.query["EIO"] ?? "")
    return [
      "eio": "\(eio.isEmpty ? "absent" : eio.text)", "agent": "\(LogText(request.headers[.userAgent] ?? "unknown"))",
      "address": "\(request.remoteAddress?.ipAddress ?? "unknown")",
    ]
  }

  private func advice(on flaw: RequestFlaw, of request: EngineRequest) -> Logger.Message {
    switch flaw.refusal {
    case .unsupportedProtocolVersion where EngineRevision(query: request.query["EIO"]) == .v3:
      """
      Client refused: it uses Engine.IO 3 (Socket.IO v2), but this server only accepts 4. Update the client \
      (socket.io-client-swift 16 or later, version .three), or set allowEIO3
      """
    case .unsupportedProtocolVersion:
      "Client refused: this server does not support Engine.IO \(LogText(request.query["EIO"] ?? ""))"
    case .forbidden where flaw == .foreignOrigin:
      """
      Client refused: its Origin \(LogText(request.headers[.origin] ?? "(another site)")) is not this server's own, \
      \(LogText(request.authority ?? "unknown")). Let the proxy in front pass on Host, or allow the origin
      """
    case .badRequest where flaw == .upgradeMissing:
      """
      Client refused: transport=websocket without an Upgrade header. Let the proxy in front of the server pass on \
      Upgrade and Connection
      """
    case .forbidden:
      "Client refused by allowRequest: \(flaw.message ?? flaw.refusal.message)"
    case .unknownSession:
      """
      Request for an unknown session: it has ended, or a load balancer sends the requests of one session to \
      several servers (see the cookie and node settings)
      """
    case .unknownTransport, .badHandshakeMethod, .badRequest:
      "Engine.IO request refused: \(flaw.refusal.message)"
    }
  }

  /// Called before a client is closed for its first packet, because it may use another parser.
  func adviseOnParser(of message: EnginePacket) {
    switch (configuration.parser, message.isBinary) {
    case (.json, true):
      advise(.info, "Client closed: its first packet is binary, so it uses another parser (see the parser setting)")
    case (.msgpack, false):
      advise(.info, "Client closed: its packets are JSON, and the parser of this server is msgpack")
    case (.json, false), (.msgpack, true): break
    }
  }

  /// Looks for a Socket.IO client in a request outside of the server's path, which the application will answer.
  func adviseOnPath(of target: String) {
    guard let end = target.firstIndex(ofByte: UInt8(ascii: "?")), target[end...].contains("transport=") else { return }
    let path = target[..<end]
    let query = QueryString(target[target.utf8.index(after: end)...])
    guard query["transport"].flatMap(EngineTransport.init(rawValue:)) != nil else { return }
    advise(.info, advice(onPath: path))
  }

  private func advice(onPath path: Substring) -> Logger.Message {
    let own = configuration.path
    let namespace = path.firstRange(of: own).map { path[..<$0.lowerBound] } ?? path
    if namespace.count > 1 && rule(for: String(namespace)) != nil {
      return """
        A client asks for \(LogText(path)): a namespace is not part of the URL. Connect to \(own) and join \
        \(LogText(namespace)) there
        """
    }
    return path.contains("//")
      ? "A client asks for \(LogText(path)): its address has an extra slash at the end; the path is \(own)"
      : "A client asks for \(LogText(path)), but the path is \(own): set the client's path, or let the proxy rewrite it"
  }

  /// Whether a room may have this name. If not, logs it.
  func mayName(_ room: String) -> Bool {
    if room.isCheapToCompare { return true }
    advise(.info, "A room was not joined: its name takes too long to compare")
    return false
  }

  /// Logs that a client asked for an undeclared namespace. A query behind its name may be a token, so it is not logged.
  func logUnknown(_ namespace: String) {
    advise(.info, advice(onUnknown: namespace))
  }

  private func advice(onUnknown namespace: String) -> Logger.Message {
    let name = Substring(namespace.utf8.prefix { $0 != UInt8(ascii: "?") })
    return name.utf8.count < namespace.utf8.count && rule(for: String(name)) != nil
      ? """
      Namespace refused: Engine.IO 4 clients cannot put a query behind \(LogText(name)); send it as auth payload
      """
      : "Namespace \(LogText(name)) refused: declared are \(declaredNamespaces.joined(separator: ", "))"
  }

  /// Logs a line that a client has caused, within the limit of such lines. The message of a line that is left out is not built.
  func advise(
    _ level: Logger.Level, _ advice: @autoclosure () -> Logger.Message,
    metadata: @autoclosure () -> Logger.Metadata = [:]
  ) {
    guard level >= logger.logLevel, let leftOut = adviceBudget.take(at: LoopShard.now) else { return }
    var metadata = metadata()
    if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
    logger.log(level: level, advice(), metadata: metadata)
  }
}

extension RequestFlaw {
  /// Whether it points to something to fix at the server, or at all clients of a kind.
  fileprivate var isWorthReading: Bool {
    switch refusal {
    case .unsupportedProtocolVersion, .forbidden: true
    case .badRequest: self == .upgradeMissing
    case .unknownSession, .unknownTransport, .badHandshakeMethod: false
    }
  }
}
