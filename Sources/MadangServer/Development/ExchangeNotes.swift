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
  /// What an edition calls the request.
  package struct Operation: Hashable, Sendable {
    package let edition: EditionName
    package let route: MadangAPI.Route

    /// Of the path's length only: it costs little for each request, and differs for most routes.
    package func hash(into hasher: inout Hasher) { hasher.combine(route.template.utf8.count) }
  }

  package struct Account: Hashable, Sendable {
    package let number: Int64
    package let email: String

    init(_ caller: Caller) { (number, email) = (caller.id, caller.person.email) }
  }

  private struct State {
    /// Nil until it has been looked up.
    var operation: Operation??
    var account: Account??
    var fault: AppliedFault?
    var body = Body()
    var edition: EditionName?
    var fields: Fields?
    var answer: ByteBuffer?
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
  private let state = Mutex(State())

  init(_ head: HTTPRequest, _ target: RequestTarget, isOfSocket: Bool, at moment: Int64, begun: UInt64) {
    self.head = head
    self.target = target
    self.isOfSocket = isOfSocket
    at = moment
    self.begun = begun
  }

  /// The body, as far as the server has read it.
  package var body: Body { state.withLock(\.body) }

  /// The path as it was sent, without the query.
  package var path: Substring { head.pathWithoutQuery }

  /// The fault that befell the request, if one did.
  package var fault: AppliedFault? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }

  /// Nil if nobody has looked yet; what was found may be nil as well.
  var lookedUpOperation: Operation?? { state.withLock(\.operation) }
  var lookedUpAccount: Account?? { state.withLock(\.account) }

  /// The account, if the server has found it out so far.
  package var knownAccount: Account? { lookedUpAccount ?? nil }

  /// The edition whose key the request shows, if the server has found it out so far.
  package var knownEdition: EditionName? { state.withLock(\.edition) }

  /// What the body has; nil as long as it was not read, and if it could not be.
  package var fields: Fields? { state.withLock(\.fields) }

  /// The body of the answer as the server made it, a refusal's too, if it is JSON in one piece. Where there is a fault the client may
  /// get another one.
  package var answer: ByteBuffer? { state.withLock(\.answer) }

  /// A parameter of the query; nil if it is absent.
  package func query(_ name: String) -> String? { target[name] }

  /// The operation, if the server has found it out so far.
  package var knownOperation: Operation? { lookedUpOperation ?? nil }

  // MARK: Noted by who answers

  func found(_ route: MadangAPI.Route, of edition: EditionName) {
    lookedUp(Operation(edition: edition, route: route))
  }

  func lookedUp(_ operation: Operation?) { state.withLock { $0.operation = .some(operation) } }

  func lookedUp(_ account: Account?) { state.withLock { $0.account = .some(account) } }

  func found(_ edition: EditionName) { state.withLock { $0.edition = edition } }

  func read(_ fields: Fields) { state.withLock { $0.fields = fields } }

  func answers(_ body: ByteBuffer) { state.withLock { $0.answer = body } }

  func found(_ caller: Caller) { lookedUp(Account(caller)) }

  func read(_ chunk: [UInt8]) { state.withLock { $0.body.add(chunk) } }

  func read(partNamed name: String, fileName: String?, size: Int, text: [UInt8]?) {
    state.withLock { state in
      state.body.parts.append(
        Body.Part(name: name, fileName: fileName, size: size, text: text.map { Array($0.prefix(Body.limit)) }))
    }
  }
}
