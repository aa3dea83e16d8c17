import MadangAPI
import MadangCore

/// A refusal as clients receive it: a code of the contract, and for `E98` how long to wait.
package struct Refusal: Error {
  package let code: ErrorCode
  var message: String
  /// Whole seconds.
  package private(set) var retryAfter: Int64?
  /// A word for pages of this server, which may say more than clients with a key receive; nil for none.
  var pageWord: String?
  /// Whether clients see the message outside development mode too. It then describes their own request or a decision of the operator,
  /// and reveals nothing about other accounts.
  let isForCaller: Bool

  package init(_ code: ErrorCode, _ message: String, retryAfter: Int64? = nil, isForCaller: Bool? = nil) {
    self.isForCaller = isForCaller ?? (code == .badRequest)
    self.code = code
    self.message = message
    self.retryAfter = retryAfter
  }

  /// The only table from the domain's codes to codes of the contract.
  init(_ failure: Failure, in edition: Edition) {
    let code: ErrorCode =
      switch failure.code {
      // Apps know this code from sign-up, where they show that the address is not accepted, and from all calls that create something.
      // E12 would say that the name is taken; E21 would send people to buy coins.
      case .invalid, .defaultChannel, .notAdmitted, .limited, .held, .quotaReached: .badRequest
      case .duplicate: .duplicate
      case .notFound: .notFound
      case .noSuchInvitee: edition.noSuchInvitee
      case .noSuchUser, .signInFailed, .disabled, .accountGone: .noAccount
      case .notOwner: .notOwner
      case .mustHandOver: .mustHandOver
      case .notEnoughCoins: .notEnoughCoins
      case .paymentUnknown: .paymentUnknown
      case .paymentInvalid: .paymentInvalid
      case .noSuchSession: .badToken
      case .refreshExpired: .refreshExpired
      }
    self.init(code, failure.message)
    // Only after the right password: that the account exists is no secret then.
    if failure.code == .disabled { pageWord = "disabled" }
  }
}
