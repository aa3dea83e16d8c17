import Logging
import SocketIOProtocol

/// Log lines that name the cause and the cure of common client mistakes, because most clients do not show them.
extension ServerCore {
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
    guard level >= logger.logLevel, let leftOut = adviceBudget.take(at: Milliseconds.uptime) else { return }
    var metadata = metadata()
    if leftOut > 0 { metadata["left-out"] = "\(leftOut)" }
    logger.log(level: level, advice(), metadata: metadata)
  }
}
