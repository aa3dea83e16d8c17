import MadangAPI
import MadangCore

/// A refusal as it travels: a code of the contract, and for `E98` when to come back.
struct Refusal: Error {
  let code: ErrorCode
  var message: String
  /// Whole seconds.
  var retryAfter: Int64?
  /// Whether the message is for whoever calls, outside development as well: it tells of what they sent, or what the operator of this server
  /// has decided, and nothing of others.
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
