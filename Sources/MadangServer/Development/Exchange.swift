import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore
import SocketIOServer
import Synchronization

/// An HTTP request that is being answered, and what is known of it so far, for the instruments of development mode. One object for a
/// request, to save allocations.
package final class Exchange: Sendable {
  package struct Account: Hashable, Sendable {
    package let number: Int64
    package let email: String

    init(_ caller: Caller) { (number, email) = (caller.id, caller.person.email) }
  }

  /// What was found out of it so far. Cannot be copied: every request is looked at, and a copy of all that it has is expensive.
  package struct Known: ~Copyable, Sendable {
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
  /// The connection the request came by.
  package let channel: any NIOCore.Channel
  /// When it began, in milliseconds of the server's clock.
  package let at: Int64
  /// The same as uptime in nanoseconds. What began before the moment at which another database was put behind the server is
  /// answered by the former one.
  package let begun: UInt64
  let target: RequestTarget
  private let hold: Hold
  private let state = Mutex(Known())

  /// What the request met. That of a socket is no visit: sockets may outlive the database.
  private enum Hold: ~Copyable, Sendable {
    case visit(Visit)
    case backend(Backend)
  }

  init(
    _ head: HTTPRequest, _ target: RequestTarget, isOfSocket: Bool, over channel: any NIOCore.Channel, at moment: Int64,
    _ visit: consuming Visit
  ) {
    (self.head, self.target, self.isOfSocket, self.channel) = (head, target, isOfSocket, channel)
    (at, begun) = (moment, visit.begun)
    hold = if isOfSocket { .backend(visit.backend) } else { .visit(visit) }
  }

  /// Of the backend that the request met.
  var service: Service {
    switch hold {
    case .visit(let visit): visit.service
    case .backend(let backend): backend.service
    }
  }

  /// Waits. Throws `CancellationError` as soon as another database is put behind the server: the request is to end then.
  package func pause(for time: Duration) async throws {
    switch hold {
    case .visit(let visit): try await visit.pause(for: time)
    case .backend: try await Task.sleep(for: time)
    }
  }

  /// The path as it was sent, without the query.
  package var path: Substring { head.pathWithoutQuery }

  /// A parameter of the query; nil if it is absent.
  package func query(_ name: String) -> String? { target[name] }

  /// Reads what was found out so far, under the lock. `body` must not call anything of the exchange that locks.
  package func withKnown<Result>(_ body: (borrowing Known) -> Result) -> Result { state.withLock { body($0) } }

  /// A fault befalls the request.
  package func suffers(_ fault: AppliedFault) { state.withLock { $0.fault = fault } }

  // MARK: Noted by who answers

  func lookedUp(_ operation: EditionOperation?) { state.withLock { $0.lookedUpOperation = .some(operation) } }

  func lookedUp(_ account: Account?) { state.withLock { $0.lookedUpAccount = .some(account) } }

  func found(keyOf edition: EditionName) { state.withLock { $0.editionOfKey = edition } }

  /// To be called once.
  ///
  /// - Parameter body: Is taken, not copied.
  func received(_ body: inout Body) { state.withLock { swap(&$0.body, &body) } }

  /// Only for a body that is answered with `Response.json`.
  func answers(_ body: ByteBuffer) { state.withLock { $0.answer = body } }

  func found(_ caller: Caller) { lookedUp(Account(caller)) }
}
