/// The reason why an operation was refused. Any other error that an operation throws is internal.
package struct Failure: Error, Equatable {
  package enum Code: String, Sendable {
    /// A field is missing or invalid.
    case invalid
    /// The default channel cannot be left, deleted, renamed or handed over.
    case defaultChannel
    /// The e-mail, name or membership exists already.
    case duplicate
    /// The object does not exist, or the caller has no access to it. Clients cannot tell which.
    case notFound
    /// No visible account has this id.
    case noSuchUser
    /// No account has the invited e-mail address.
    case noSuchInvitee
    case notOwner
    /// The owner must first hand the workspace or channel over to another member.
    case mustHandOver
    case notEnoughCoins
    /// The payment is unknown, or was credited before.
    case paymentUnknown
    /// The payment exists but buys nothing.
    case paymentInvalid
    /// Sign-up is closed for this e-mail address or this application.
    case notAdmitted
    /// The account waits for its address to be confirmed, or for an administrator's approval.
    case limited
    /// The e-mail address or the password is wrong.
    case signInFailed
    /// The sign-in was right, but an administrator has disabled the account.
    case disabled
    /// The session is unknown or has ended.
    case noSuchSession
    /// The session's account was deleted.
    case accountGone
    case refreshExpired
    /// A limit on a number or a size is reached.
    case quotaReached
    /// The object is on legal hold and must not be deleted.
    case held
  }

  package let code: Code
  /// For the log and the development header; never sent in a body.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
  /// Whether a sign-in was refused.
  package var isOfSignIn: Bool { code == .signInFailed || code == .disabled }
}
