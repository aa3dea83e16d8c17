/// Why an operation was refused. Anything else that an operation throws is internal.
package struct Failure: Error, Equatable {
  package enum Code: Sendable {
    /// A field is missing or not valid.
    case invalid
    /// The default channel cannot be left, deleted, renamed or handed over.
    case defaultChannel
    /// The e-mail, name or membership exists already.
    case duplicate
    /// It does not exist, or the caller does not belong to it: one answer for both.
    case notFound
    /// No visible account has this id.
    case noSuchUser
    /// No account has the invited e-mail.
    case noSuchInvitee
    case notOwner
    /// An owner must hand over first.
    case mustHandOver
    case notEnoughCoins
    /// The payment is unknown, or was credited before.
    case paymentUnknown
    /// The payment exists but buys nothing.
    case paymentInvalid
    /// Nobody may make an account with this e-mail, or not through this application.
    case notAdmitted
    /// The account waits for its address to be confirmed, or for an administrator's approval.
    case limited
    /// E-mail or password is wrong.
    case signInFailed
    /// The session is unknown or has ended.
    case noSuchSession
    /// The session's account does not exist any more.
    case accountGone
    case refreshExpired
    /// As many, or as much, as there may be is there already.
    case quotaReached
    /// It is on legal hold: nothing of it may be deleted.
    case held
  }

  package let code: Code
  /// For the log and the development header; never sent in a body.
  package let message: String

  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
}
