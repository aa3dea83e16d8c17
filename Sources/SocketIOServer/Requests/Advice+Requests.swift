import HTTPTypes
import Logging
import NIOCore
import SocketIOProtocol

extension ServerCore {
  /// Reports a refused request to the log and the application.
  func refused(_ request: EngineRequest, _ refusal: Refusal) {
    guard let kind = refusal.kind else { return }
    advise(
      refusal.isWorthReading ? .info : .debug, advice(on: refusal, kind, of: request), metadata: metadata(of: request))
    configuration.requestRefused?(.init(request: .init(request), refusal: kind, message: refusal.message))
  }

  private func metadata(of request: EngineRequest) -> Logger.Metadata {
    let eio = LogText(request.query["EIO"] ?? "")
    return [
      "eio": "\(eio.isEmpty ? "absent" : eio.text)", "agent": "\(LogText(request.headers[.userAgent] ?? "unknown"))",
      "address": "\(request.remoteAddress?.ipAddress ?? "unknown")",
    ]
  }

  private func advice(on refusal: Refusal, _ kind: EngineRefusal, of request: EngineRequest) -> Logger.Message {
    switch kind {
    case .unsupportedProtocolVersion where EngineRevision(query: request.query["EIO"]) == .v3:
      """
      Client refused: it uses Engine.IO 3 (Socket.IO v2), but this server only accepts 4. Update the client \
      (socket.io-client-swift 16 or later, version .three), or set allowEIO3
      """
    case .unsupportedProtocolVersion:
      "Client refused: this server does not support Engine.IO \(LogText(request.query["EIO"] ?? ""))"
    case .forbidden where refusal == .foreignOrigin:
      """
      Client refused: its Origin \(LogText(request.headers[.origin] ?? "(another site)")) is not this server's own, \
      \(LogText(request.authority ?? "unknown")). Let the proxy in front pass on Host, or allow the origin
      """
    case .badRequest where refusal == .upgradeMissing:
      """
      Client refused: transport=websocket without an Upgrade header. Let the proxy in front of the server pass on \
      Upgrade and Connection
      """
    case .forbidden:
      "Client refused by allowRequest: \(refusal.message)"
    case .unknownSession:
      """
      Request for an unknown session: it has ended, or a load balancer sends the requests of one session to \
      several servers (see the cookie and node settings)
      """
    case .unknownTransport, .badHandshakeMethod, .badRequest:
      "Engine.IO request refused: \(kind.message)"
    }
  }
}

extension Refusal {
  /// Whether it points to something to fix at the server, or at all clients of a kind.
  fileprivate var isWorthReading: Bool {
    switch kind {
    case .unsupportedProtocolVersion, .forbidden: true
    case .badRequest: self == .upgradeMissing
    case .unknownSession, .unknownTransport, .badHandshakeMethod, nil: false
    }
  }
}
