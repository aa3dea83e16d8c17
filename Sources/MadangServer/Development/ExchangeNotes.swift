import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore
import SocketIOServer
import Synchronization

/// A rule by which something went wrong on purpose.
package struct AppliedFault: Codable, Hashable, Sendable {
  /// The rule's id.
  package let rule: Int
  /// What it does.
  package let kind: String

  package init(rule: Int, kind: String) { (self.rule, self.kind) = (rule, kind) }
}

/// What is known of one HTTP request, noted by who answers it. Holds neither its connection nor its backend: it may be kept for as long as
/// anybody likes.
package final class ExchangeNotes: Sendable {
  package struct Account: Hashable, Sendable {
    package let number: Int64
    package let email: String

    init(_ caller: Caller) { (number, email) = (caller.id, caller.person.email) }
  }

  /// What was found out of it so far.
  package struct Known: Sendable {
    /// Nil if nobody has looked yet; what was found may be nil as well.
    var lookedUpOperation: EditionOperation??
    var lookedUpAccount: Account??
    package fileprivate(set) var fault: AppliedFault?
    /// As far as the server has read it; empty until it has read to the end.
    package fileprivate(set) var body = Body()
    /// Whose key the request shows, where it is no operation.
    fileprivate var editionOfKey: EditionName?
    /// The body of the answer as the server made it, a refusal's too, if it is JSON in one piece. The answer's header fields then begin
    /// with `HTTPFields.json`. Where there is a fault the client may get another one.
    package fileprivate(set) var answer: ByteBuffer?

    package var operation: EditionOperation? { lookedUpOperation ?? nil }
    package var account: Account? { lookedUpAccount ?? nil }
    /// Whose key the request shows.
    package var edition: EditionName? { operation?.edition ?? editionOfKey }
  }

  package let head: HTTPRequest
  /// Whether the request is one of long-polling, or of a socket otherwise.
  package let isOfSocket: Bool
  /// When it began, in milliseconds of the server's clock.
  package let at: Int64
  /// The same as uptime in nanoseconds. What began before the moment at which another database was put behind the server is
  /// answered by the former one.
  package let begun: UInt64
  let target: RequestTarget
  private let state = Mutex(Known())

  init(_ head: HTTPRequest, _ target: RequestTarget, isOfSocket: Bool, at moment: Int64, begun: UInt64) {
    self.head = head
    self.target = target
    self.isOfSocket = isOfSocket
    at = moment
    self.begun = begun
  }

  /// Reads what was found out so far, under the lock: a copy costs more. `body` must not call anything of these notes that locks.
  package func withKnown<Result>(_ body: (Known) -> Result) -> Result { state.withLock { body($0) } }

  /// The path as it was sent, without the query.
  package var path: Substring { head.pathWithoutQuery }

  /// A parameter of the query; nil if it is absent.
  package func query(_ name: String) -> String? { target[name] }

  /// A fault befalls the request.
  package func suffers(_ fault: AppliedFault) { state.withLock { $0.fault = fault } }

  // MARK: Noted by who answers

  func lookedUp(_ operation: EditionOperation?) { state.withLock { $0.lookedUpOperation = .some(operation) } }

  func lookedUp(_ account: Account?) { state.withLock { $0.lookedUpAccount = .some(account) } }

  func found(_ edition: EditionName) { state.withLock { $0.editionOfKey = edition } }

  func received(_ body: Body) { state.withLock { $0.body = body } }

  /// Only for a body that is answered with `Response.json`.
  func answers(_ body: ByteBuffer) { state.withLock { $0.answer = body } }

  func found(_ caller: Caller) { lookedUp(Account(caller)) }
}
