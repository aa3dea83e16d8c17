import HTTPTypes
import SocketIOProtocol

/// The purpose of an HTTP request under the server's path.
enum RequestAim {
  /// Opens a session.
  case handshake
  /// Belongs to the session with this id.
  case session(String)
}

extension Refusal {
  /// The client requested a WebSocket, but the request arrived without the upgrade.
  static let upgradeMissing = Self(
    .badRequest,
    """
    Bad request: transport=websocket without an Upgrade header; a proxy between client and server has to pass on \
    Upgrade and Connection
    """)

  static let foreignOrigin = Self(.forbidden, "Origin not allowed")
  static let noJSONP = Self(.badRequest, "Bad request: JSONP is not served")
  static let largeHandshake = Self(.badRequest, "Bad request: too many bytes of header fields")

  static let noUpgrade = Self(.badRequest, "Bad request: upgrades are not served")

  /// Names the cure for the most common failure.
  static let tooOld = Self(
    .unsupportedProtocolVersion,
    """
    Unsupported protocol version: the client speaks Engine.IO 3 (Socket.IO v2); update it \
    (socket.io-client-swift 16 or later, version .three), or enable EIO3 on the server
    """)
}

/// The checks of the reference server, in its order: transport, Origin, session, method, Upgrade; then `allowRequest`; then the protocol
/// revision.
extension EngineRequest {
  /// Runs the checks that need neither a session nor the application.
  func aim(
    _ configuration: SocketIOServer.Configuration, over expected: EngineTransport
  ) throws(Refusal) -> RequestAim {
    guard let transport = query["transport"].flatMap(EngineTransport.init(rawValue:)),
      configuration.transports.contains(transport)
    else { throw Refusal(.unknownTransport) }
    if let origin = headers[.origin], !Self.isPrintable(origin) { throw Refusal(.badRequest) }
    if let allowed = configuration.allowedOrigins, !allowed.allow(headers, authority: authority) {
      let forwarded = configuration.forwardedAuthority?(headers, remoteAddress)
      guard let forwarded, allowed.allow(headers, authority: forwarded) else { throw .foreignOrigin }
    }
    if !configuration.allowJSONP, JSONP(query) != nil { throw .noJSONP }
    if let sid {
      // An unknown session is reported with priority; its loop finds out.
      return .session(sid)
    }
    guard method == .get else { throw Refusal(.badHandshakeMethod) }
    if let flaw = mismatch(over: expected) { throw flaw }
    guard size <= configuration.maxHandshakeBytes else { throw .largeHandshake }
    return .handshake
  }

  /// The flaw of a request whose `transport` differs from the actual one.
  func mismatch(over expected: EngineTransport) -> Refusal? {
    guard query["transport"] != expected.rawValue else { return nil }
    return expected == .polling ? .upgradeMissing : Refusal(.badRequest)
  }

  /// The client's protocol revision, if the server supports it.
  func revision(_ configuration: SocketIOServer.Configuration) throws(Refusal) -> EngineRevision {
    guard let revision = EngineRevision(query: query["EIO"]) else {
      throw Refusal(.unsupportedProtocolVersion)
    }
    guard revision == .v4 || configuration.allowEIO3 else { throw .tooOld }
    return revision
  }

  private static func isPrintable(_ value: String) -> Bool {
    value.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7f) }
  }
}

extension ServerCore {
  /// Asks the application whether the request may open a session.
  func allow(_ request: EngineRequest, over transport: EngineTransport) async throws(Refusal) {
    guard let allowRequest = configuration.allowRequest else { return }
    // Off the event loop that may be answering the request, because the application's code could block it.
    let verdict = await withTaskExecutorPreference(globalConcurrentExecutor) {
      await allowRequest(.init(request, transport: transport))
    }
    guard case .refuse(let message) = verdict else { return }
    throw Refusal(.forbidden, message)
  }
}
