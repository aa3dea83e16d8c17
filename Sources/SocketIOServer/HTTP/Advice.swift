import HTTPTypes
import Logging
import NIOCore
import SocketIOProtocol

/// Log lines that name the cause and the cure of what clients trip on, as most clients show their users neither.
extension ServerCore {
  func log(_ flaw: RequestFlaw, of request: EngineRequest) {
    let eio = LogText(request.query["EIO"] ?? "")
    let (level, advice): (Logger.Level, Logger.Message) =
      switch flaw.refusal {
      case .unsupportedProtocolVersion where EngineRevision(query: request.query["EIO"]) == .v3:
        (
          .info,
          """
          Client refused: it speaks Engine.IO 3 (Socket.IO v2) and this server only 4. Update the client \
          (socket.io-client-swift 16 or later, version .three), or set allowEIO3
          """
        )
      case .unsupportedProtocolVersion:
        (.info, "Client refused: this server speaks no Engine.IO \(eio)")
      case .forbidden where flaw == .foreignOrigin:
        (
          .info,
          """
          Client refused: its Origin \(LogText(request.headers[.origin] ?? "(another site)")) is not this server's own, \
          \(LogText(request.authority ?? "unknown")). Let the proxy in front pass on Host, or allow the origin
          """
        )
      case .badRequest where flaw == .upgradeMissing:
        (
          .info,
          """
          Client refused: transport=websocket without an Upgrade header. Let the proxy in front of the server pass on \
          Upgrade and Connection
          """
        )
      case .forbidden:
        (.info, "Client refused by allowRequest: \(flaw.message ?? flaw.refusal.message)")
      case .unknownSession:
        (
          .debug,
          """
          Request for an unknown session: it has ended, or a load balancer sends the requests of one session to \
          several servers (see the cookie setting)
          """
        )
      case .unknownTransport, .badHandshakeMethod, .badRequest:
        (.debug, "Engine.IO request refused: \(flaw.refusal.message)")
      }
    advise(
      level, advice,
      metadata: [
        "eio": "\(eio.isEmpty ? "absent" : eio.text)", "agent": "\(LogText(request.headers[.userAgent] ?? "unknown"))",
        "address": "\(request.remoteAddress?.ipAddress ?? "unknown")",
      ])
  }

  /// Looks for a Socket.IO client in a request beside the server's path, which the application is about to answer.
  func adviseOnPath(of target: String) {
    guard target.contains("transport=") else { return }
    let path = target.prefix { $0 != "?" }
    let query = QueryString(target.dropFirst(path.count + 1))
    guard query["transport"].flatMap(EngineTransport.init(rawValue:)) != nil else { return }
    let own = configuration.path
    let namespace = path.firstRange(of: own).map { path[..<$0.lowerBound] } ?? path
    let advice: Logger.Message =
      switch true {
      case namespace.count > 1 && handlers(for: String(namespace)) != nil:
        """
        A client asks for \(LogText(path)): a namespace is no part of the URL. Connect to \(own) and join \
        \(LogText(namespace)) there
        """
      case path.contains("//"):
        "A client asks for \(LogText(path)): its address ends with a slash too many; the path is \(own)"
      default:
        "A client asks for \(LogText(path)), but the path is \(own): set the client's path, or let the proxy rewrite it"
      }
    advise(.info, advice)
  }

  /// A client asked for a namespace nobody declared. What stands behind its name may be a token: it is not told.
  func logUnknown(_ namespace: String) {
    advise(.info, advice(onUnknown: namespace))
  }

  private func advice(onUnknown namespace: String) -> Logger.Message {
    let name = Substring(namespace.utf8.prefix { $0 != UInt8(ascii: "?") })
    return name.utf8.count < namespace.utf8.count && handlers(for: String(name)) != nil
      ? """
      Namespace refused: Engine.IO 4 clients cannot put a query behind \(LogText(name)); send it as auth payload
      """
      : "Namespace \(LogText(name)) refused: declared are \(declaredNamespaces.joined(separator: ", "))"
  }

  /// Logs a line that a client has caused, as long as clients cause no more of them than the log is to hold. A line that is
  /// left out is not even made.
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
