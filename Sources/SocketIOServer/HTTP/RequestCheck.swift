import HTTPTypes
import SocketIOProtocol

/// The purpose of an HTTP request under the server's path.
enum RequestAim {
  /// Opens a session.
  case handshake
  /// Belongs to the session with this id.
  case session(String)
}

/// Why a request is refused.
struct RequestFlaw: Error, Equatable {
  let refusal: EngineRefusal
  /// Replaces the standard text if there is a known cure.
  var message: String?

  static let unknownSession = RequestFlaw(refusal: .unknownSession)

  /// The client requested a WebSocket, but the request arrived without the upgrade.
  static let upgradeMissing = RequestFlaw(
    refusal: .badRequest,
    message: """
      Bad request: transport=websocket without an Upgrade header; a proxy between client and server has to pass on \
      Upgrade and Connection
      """)

  static let foreignOrigin = RequestFlaw(refusal: .forbidden, message: "Origin not allowed")
  static let noJSONP = RequestFlaw(refusal: .badRequest, message: "Bad request: JSONP is not served")
  static let largeHandshake = RequestFlaw(refusal: .badRequest, message: "Bad request: too many bytes of header fields")

  static let noUpgrade = RequestFlaw(refusal: .badRequest, message: "Bad request: upgrades are not served")

  /// Names the cure for the most common failure.
  static let tooOld = RequestFlaw(
    refusal: .unsupportedProtocolVersion,
    message: """
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
  ) throws(RequestFlaw) -> RequestAim {
    guard let transport = query["transport"].flatMap(EngineTransport.init(rawValue:)),
      configuration.transports.contains(transport)
    else { throw RequestFlaw(refusal: .unknownTransport) }
    if let origin = headers[.origin], !Self.isPrintable(origin) { throw RequestFlaw(refusal: .badRequest) }
    if let allowed = configuration.allowedOrigins, !allowed.allow(headers, authority: authority) {
      let forwarded = configuration.forwardedAuthority?(headers, remoteAddress)
      guard let forwarded, allowed.allow(headers, authority: forwarded) else { throw .foreignOrigin }
    }
    if !configuration.allowJSONP, JSONP(query) != nil { throw .noJSONP }
    if let sid {
      // An unknown session is reported with priority; its loop finds out.
      return .session(sid)
    }
    guard method == .get else { throw RequestFlaw(refusal: .badHandshakeMethod) }
    if let flaw = mismatch(over: expected) { throw flaw }
    guard size <= configuration.maxHandshakeBytes else { throw .largeHandshake }
    return .handshake
  }

  /// The flaw of a request whose `transport` differs from the actual one.
  func mismatch(over expected: EngineTransport) -> RequestFlaw? {
    guard query["transport"] != expected.rawValue else { return nil }
    return expected == .polling ? .upgradeMissing : RequestFlaw(refusal: .badRequest)
  }

  /// The client's protocol revision, if the server supports it.
  func revision(_ configuration: SocketIOServer.Configuration) throws(RequestFlaw) -> EngineRevision {
    guard let revision = EngineRevision(query: query["EIO"]) else {
      throw RequestFlaw(refusal: .unsupportedProtocolVersion)
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
  func allow(_ request: EngineRequest, over transport: EngineTransport) async throws(RequestFlaw) {
    guard let allowRequest = configuration.allowRequest else { return }
    // Off the event loop that may be answering the request, because the application's code could block it.
    let verdict = await withTaskExecutorPreference(globalConcurrentExecutor) {
      await allowRequest(.init(request, transport: transport))
    }
    guard case .refuse(let message) = verdict else { return }
    throw RequestFlaw(refusal: .forbidden, message: message)
  }
}
