import Hummingbird
import MadangAPI
import MadangCore

/// The answer to a request, with what was learned about the request.
package struct Answer: Sendable {
  package var response: Response
  package var learned = Learned()

  package init(response: Response, learned: Learned = Learned()) {
    (self.response, self.learned) = (response, learned)
  }
}

/// How far a call has come.
struct CallProgress {
  let began = ContinuousClock.now
  /// Nil without a valid key.
  var edition: Edition?
  /// Nil for an unknown path.
  var operation: EditionOperation?
  /// Nil on public routes.
  var principal: Principal?
  /// Nil if the operation was not reached.
  var outcome: CallOutcome?

  /// Where metrics count it.
  var place: Metrics.Place { Metrics.Place(edition, operation?.route) }
}

/// What was learned about a request while it was answered.
package struct Learned: Sendable {
  package struct Account: Hashable, Sendable {
    package let number: Int64
    package let email: String
  }

  package struct Payment: Sendable {
    package enum Outcome: Sendable {
      case credited(amount: Int)
      case refused(ErrorCode)
    }

    package let id: String
    package let merchantID: String
    /// The caller's e-mail.
    package let account: String
    package let outcome: Outcome
  }

  /// Nil if the request is for none.
  package let operation: EditionOperation?
  /// The edition of the request's key.
  package let edition: EditionName?
  /// The fields of the body; nil if it was not read, or is unreadable.
  package let fields: Fields?
  /// The chat that was posted.
  package let chat: Chat?
  /// The payment that the client claimed; nil if the provider was not asked, or did not answer.
  package let payment: Payment?
  private let principal: Principal?
  private let signedIn: Account?

  /// The caller, or the account that was signed in to; nil if it was not looked up.
  package var account: Account? { principal?.caller.map(Account.init) ?? signedIn }

  init(_ progress: CallProgress = CallProgress(), fields: Fields? = nil) {
    (operation, edition, chat) = (progress.operation, progress.edition?.id, progress.outcome?.chat)
    (principal, signedIn) = (progress.principal, progress.outcome?.account)
    (payment, self.fields) = (progress.outcome?.payment, fields)
  }
}

extension Learned.Account {
  init(_ caller: Caller) { self.init(number: caller.id, email: caller.person.email) }
}
