/// Why a server refuses an Engine.IO request, with the codes, statuses and messages of the reference server.
public enum EngineRefusal: Int, Error, Sendable {
  case unknownTransport = 0
  case unknownSession
  case badHandshakeMethod
  case badRequest
  case forbidden
  case unsupportedProtocolVersion

  /// The HTTP status of the answer.
  public var status: Int { self == .forbidden ? 403 : 400 }

  public var message: String {
    switch self {
    case .unknownTransport: "Transport unknown"
    case .unknownSession: "Session ID unknown"
    case .badHandshakeMethod: "Bad handshake method"
    case .badRequest: "Bad request"
    case .forbidden: "Forbidden"
    case .unsupportedProtocolVersion: "Unsupported protocol version"
    }
  }

  /// The answer's JSON body. `message` replaces the standard text if there is a known cure.
  public func body(message: String? = nil) -> String {
    #"{"code":\#(rawValue),"message":\#(JSONText.quoted(message ?? self.message))}"#
  }
}
