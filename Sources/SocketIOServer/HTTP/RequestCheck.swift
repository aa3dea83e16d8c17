import HTTPTypes
import SocketIOProtocol

/// What an HTTP request under the server's path asks for, after the checks that need no session, in the reference's
/// order.
enum RequestCheck {
  case handshake(EngineRevision)
  /// A request for the session with this id.
  case session(String)
  case refuse(EngineRefusal, message: String?)

  init(_ request: EngineRequest, _ configuration: SocketIOServer.Configuration, transport expected: EngineTransport) {
    guard let transport = request.query["transport"].flatMap(EngineTransport.init(rawValue:)),
      configuration.transports.contains(transport)
    else {
      self = .refuse(.unknownTransport, message: nil)
      return
    }
    if let sid = request.sid {
      self = transport == expected ? .session(sid) : .refuse(.badRequest, message: nil)
      return
    }
    guard request.method == .get else {
      self = .refuse(.badHandshakeMethod, message: nil)
      return
    }
    guard transport == expected else {
      self = .refuse(.badRequest, message: nil)
      return
    }
    guard let revision = EngineRevision(query: request.query["EIO"]) else {
      self = .refuse(.unsupportedProtocolVersion, message: nil)
      return
    }
    guard revision == .v4 || configuration.allowEIO3 else {
      self = .refuse(.unsupportedProtocolVersion, message: Self.tooOld)
      return
    }
    self = .handshake(revision)
  }

  /// Names the cure for the most common failure of all.
  private static let tooOld = """
    Unsupported protocol version: the client speaks Engine.IO 3 (Socket.IO v2); update it \
    (socket.io-client-swift 16 or later, version .three), or enable EIO3 on the server
    """
}
