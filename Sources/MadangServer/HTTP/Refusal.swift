import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import NIOCore
import Storage

/// A refusal as it travels: a code of the contract, and for `E98` when to come back.
struct Refusal: Error {
  let code: ErrorCode
  var message: String
  /// Whole seconds.
  var retryAfter: Int64?
  /// Whether clients see the message outside development too: it describes their own request, or a decision of this server's operator,
  /// and nothing about others.
  let isForCaller: Bool

  init(_ code: ErrorCode, _ message: String, retryAfter: Int64? = nil, isForCaller: Bool? = nil) {
    self.isForCaller = isForCaller ?? (code == .badRequest)
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  /// The one table from the domain's codes to those of the wire.
  init(_ failure: Failure, in edition: Edition) {
    let code: ErrorCode =
      switch failure.code {
      // Apps know this code wherever accounts are made, and show that the address will not do.
      // They know it wherever something is made as well: E12 would say that the name is taken, E21 send people to buy coins.
      case .invalid, .defaultChannel, .notAdmitted, .limited, .held, .quotaReached: .badRequest
      case .duplicate: .duplicate
      case .notFound: .notFound
      case .noSuchInvitee: edition.noSuchInvitee
      case .noSuchUser, .signInFailed, .accountGone: .noAccount
      case .notOwner: .notOwner
      case .mustHandOver: .mustHandOver
      case .notEnoughCoins: .notEnoughCoins
      case .paymentUnknown: .paymentUnknown
      case .paymentInvalid: .paymentInvalid
      case .noSuchSession: .badToken
      case .refreshExpired: .refreshExpired
      }
    self.init(code, failure.message)
  }
}

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
      return Refusal(
        .serverFailure, "the server is in read-only mode: it accepts no changes for now", isForCaller: true)
    case let error as StorageError where error.code == .overloaded:
      return Refusal(.tooManyCalls, "too much work is waiting already: \(error.message)", retryAfter: 1)
    default:
      failureLog.write("request failed", error)
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
