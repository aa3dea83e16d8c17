import Hummingbird
import Logging
import MadangAPI
import MadangCore
import Storage

extension Service {
  /// The refusal for any error of a call. Unexpected errors go to the log.
  /// - Parameter edition: Nil if the call has no valid key.
  func refusal(of error: any Error, in edition: Edition?) -> Refusal {
    if let edition, let failure = error as? Failure { return Refusal(failure, in: edition) }
    switch error {
    case let refusal as Refusal: return refusal
    case let error as StorageError where error.code == .unique:
      // Two processes raced for one name; the database's own rule decided.
      return Refusal(.duplicate, "another request changed the same data at the same time")
    case let error as StorageError where error.code == .writesStopped:
      // What clients know from a database that takes no writes. A code with status 400 would have many of them renew their session and
      // call again, some without end; and some know no others where accounts are made.
      reports.metrics.noteReadOnly(true)
      var refusal = Refusal(
        .serverFailure, "the server is in read-only mode: it accepts no changes for now", isForCaller: true)
      refusal.pageWord = "readOnly"
      return refusal
    case let error as StorageError where error.code == .overloaded:
      return Refusal(.tooManyCalls, "too much work is waiting already: \(error.message)", retryAfter: 1)
    default:
      reports.failures.write("request failed", error)
      return Refusal(.serverFailure, "see the server's log")
    }
  }
}

extension Response {
  /// A refusal with its one-key body.
  /// - Parameter isExplained: Whether a header explains it, as in development mode.
  static func refusal(_ refusal: Refusal, isExplained: Bool = false) -> Response {
    var response = Response.json(refusal.code.body, status: .init(code: refusal.code.status))
    if let seconds = refusal.retryAfter { response.headers[.retryAfter] = String(max(1, seconds)) }
    if isExplained {
      response.headers[.explanation] = fieldText(
        "\(refusal.code.rawValue) \(refusal.code.meaning): \(refusal.message)")
    }
    if refusal.isForCaller { response.headers[.reason] = fieldText(refusal.message) }
    return response
  }

  /// A header value holds visible ASCII only.
  private static func fieldText(_ text: String) -> String {
    String(text.map { $0.isASCII && !$0.isNewline ? $0 : "?" }.prefix(400))
  }
}

extension ErrorCode {
  /// What a refusal with this code is answered with: JSON with one key.
  package var body: ByteBuffer { ByteBuffer(string: "{\"errorCode\":\"\(rawValue)\"}") }
}
