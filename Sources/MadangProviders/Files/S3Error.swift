import MadangCore
import NIOHTTP1
import SocketIOProtocol

/// Why a call to the bucket's server failed. Its text has no secrets.
package struct S3Error: Error, CustomStringConvertible {
  enum Cause: Sendable {
    /// An error answer; its texts are safe for the log.
    case refused(status: Int, code: String, message: String)
    /// There was no complete answer.
    case connection(any Error)
    /// The answer cannot be used.
    case unusable(String)
    case timedOut
  }

  /// The method of the call, like `PUT`.
  let call: String
  let cause: Cause

  /// The content of an error answer.
  init(refusing method: HTTPMethod, status: Int, _ error: Element?, reason: String) {
    call = method.rawValue
    cause = .refused(
      status: status, code: LogText(error?["Code"] ?? reason).text, message: LogText(error?["Message"] ?? "").text)
  }

  init(call: String, cause: Cause) {
    self.call = call
    self.cause = cause
  }

  var code: String? {
    guard case .refused(_, let code, _) = cause else { return nil }
    return code
  }

  var isMissing: Bool {
    guard case .refused(404, let code, _) = cause else { return false }
    return code != "NoSuchBucket"
  }

  /// Whether the same call may succeed a little later.
  var isPassing: Bool {
    switch cause {
    case .refused(let status, let code, _):
      status >= 500 && status != 501 || status == 429 || ["SlowDown", "InternalError", "RequestTimeout"].contains(code)
    case .connection, .timedOut: true
    case .unusable: false
    }
  }

  package var description: String {
    switch cause {
    case .refused(let status, let code, let message):
      "the bucket's server answered \(call) with \(status) \(code)\(message.isEmpty ? "" : ": \(message)")"
    case .connection(let error): "the bucket's server did not answer \(call): \(networkWords(error))"
    case .unusable(let reason): "the bucket's server answered \(call) with something that cannot be read: \(reason)"
    case .timedOut: "the bucket's server did not answer \(call) in time"
    }
  }

  /// What an operator can do about it.
  package var cure: String {
    switch cause {
    case .refused(_, "NoSuchBucket", _): "create the bucket, or name another with --files s3://bucket/prefix"
    case .refused(_, "InvalidAccessKeyId", _), .refused(_, "SignatureDoesNotMatch", _), .refused(_, "ExpiredToken", _),
      .refused(_, "InvalidToken", _), .refused(_, "InvalidClientTokenId", _):
      "check s3.access.key.id, s3.secret.access.key and s3.session.token"
    case .refused(_, "RequestTimeTooSkewed", _): "set this machine's clock"
    case .refused(301, _, _), .refused(307, _, _), .refused(_, "AuthorizationHeaderMalformed", _),
      .refused(_, "PermanentRedirect", _):
      "check s3.region and s3.endpoint: the bucket is in another place"
    case .refused(403, _, _): "allow these credentials to put, get, delete and list the bucket's objects (docs/host.md)"
    case .refused(404, _, _): "check s3.endpoint and the name of the bucket"
    case .refused, .unusable: "check that s3.endpoint is an S3 server"
    case .connection, .timedOut: "check s3.endpoint, s3.region and the network"
    }
  }
}
