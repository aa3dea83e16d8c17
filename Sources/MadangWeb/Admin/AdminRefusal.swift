import HTTPTypes
import Hummingbird
import MadangAPI
import MadangServer

/// Why the administrator's console refuses a call.
struct AdminRefusal: Error {
  let status: HTTPResponse.Status
  /// The page has words of its own for some; of others it shows the message.
  let code: String
  /// The cause, and what can be done about it.
  let message: String
  /// The domain's reason, by which the page chooses words; nil if there is none.
  var kind: String?
  /// Whole seconds.
  var retryAfter: Int64?

  init(_ status: HTTPResponse.Status, _ code: String, _ message: String, retryAfter: Int64? = nil) {
    (self.status, self.code, self.message, self.retryAfter) = (status, code, message, retryAfter)
  }

  /// Of an operation, or of what was written into a form.
  static func refused(_ message: String) -> AdminRefusal { AdminRefusal(.badRequest, "refused", message) }
  static func notFound(_ message: String) -> AdminRefusal { AdminRefusal(.notFound, "notFound", message) }
  static func wait(_ seconds: Int64) -> AdminRefusal {
    AdminRefusal(.tooManyRequests, "wait", "too many calls; try again in \(seconds) s", retryAfter: seconds)
  }

  static let signedOut = AdminRefusal(.unauthorized, "signedOut", "the session has ended; sign in again")
  static let proof = AdminRefusal(
    .forbidden, "proof", "X-Madang-Proof is missing, or belongs to another session; read it at /admin/api/session")
  static let origin = AdminRefusal(.forbidden, "origin", "the request does not come from a page of this server")
  static let name = AdminRefusal(
    .forbidden, "origin",
    "the server is called by a name that it does not have; use localhost, or set public.url to the name")
  static let transport = AdminRefusal(
    .forbidden, "transport",
    "administrators need TLS, or a browser on the server's machine; behind a proxy set trusted.proxies, and have it send X-Forwarded-Proto"
  )
  static let failed = AdminRefusal(.internalServerError, "failed", "the server failed; its log says why")

  private struct Body: Encodable {
    let error: String
    let message: String
    let kind: String?
  }

  var response: Response {
    let body = (try? WireEncoder.encode(Body(error: code, message: message, kind: kind))) ?? []
    var response = Response.json(body, status: status)
    response.headers[.retryAfter] = retryAfter.map { String(max(1, $0)) }
    return response
  }
}
