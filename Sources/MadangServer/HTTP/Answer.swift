import Hummingbird
import MadangAPI
import MadangCore

/// The answer to a request, with what answering it has shown.
package struct Answer: Sendable {
  package var response: Response
  package var learned = Learned()
}

/// What answering a request has shown of it, as far as it came.
package struct Learned: Sendable {
  package struct Account: Hashable, Sendable {
    package let number: Int64
    package let email: String
  }

  /// Nil if the request is for none.
  package var operation: EditionOperation?
  /// Whose key the request shows.
  package var edition: EditionName?
  /// What the body has; nil if it was not read, or could not be.
  package var fields: Fields?
  /// What was posted.
  package var chat: Chat?
  var caller: Principal?

  /// Who called; nil if that was not looked up.
  package var account: Account? { caller?.caller.map(Account.init) }
}

extension Learned.Account {
  init(_ caller: Caller) { self.init(number: caller.id, email: caller.person.email) }
}
