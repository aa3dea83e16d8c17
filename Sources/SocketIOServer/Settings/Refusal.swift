import HTTPTypes
import SocketIOProtocol

/// Why a request is refused.
struct Refusal: Error, Equatable {
  let status: HTTPResponse.Status
  let message: String
  /// Its kind in Engine.IO; nil for requests that do not get that far.
  let kind: EngineRefusal?

  /// - Parameter message: Replaces the standard text if there is a known cure.
  init(_ kind: EngineRefusal, _ message: String? = nil) {
    status = .init(code: kind.status)
    self.message = message ?? kind.message
    self.kind = kind
  }

  init(status: HTTPResponse.Status, message: String = "") {
    self.status = status
    self.message = message
    kind = nil
  }

  /// The answer's JSON body; without a kind only the message.
  var body: String { kind?.body(message: message) ?? message }

  static let unknownSession = Self(.unknownSession)
}
