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

/// One HTTP request and what is known of it, for the instruments of development mode.
package final class Exchange: Sendable {
  /// What an edition calls the request.
  package struct Operation: Hashable, Sendable {
    package let edition: EditionName
    package let route: MadangAPI.Route

    /// Of little, since every request is looked up: the lengths of paths distinguish most routes.
    package func hash(into hasher: inout Hasher) { hasher.combine(route.template.utf8.count) }
  }

  package struct Account: Hashable, Sendable {
    package let number: Int64
    package let email: String
  }

  private struct State {
    /// Nil until it has been looked up.
    var operation: Operation??
    var account: Account??
    var fault: AppliedFault?
    var body = Body()
    var edition: EditionName?
    var fields: Fields?
  }

  package let head: HTTPRequest
  /// The connection the request came by.
  package let channel: any NIOCore.Channel
  /// Whether it is one of long-polling, or of a socket otherwise.
  package let isOfSocket: Bool
  /// When it began: uptime in nanoseconds. What began before the moment at which another database was put behind the server is
  /// answered by the former one.
  package let begun: UInt64
  private let target: RequestTarget
  private let backend: Backend
  /// Nil for one of a socket: sockets may outlive the database.
  private let visit: Visit?
  private let state = Mutex(State())

  init(
    _ head: HTTPRequest, _ target: RequestTarget, isOfSocket: Bool, over channel: any NIOCore.Channel, _ visit: Visit
  ) {
    self.head = head
    self.target = target
    self.isOfSocket = isOfSocket
    self.channel = channel
    (backend, begun) = (visit.backend, visit.begun)
    self.visit = isOfSocket ? nil : visit
  }

  /// The body, as far as the server has read it.
  package var body: Body { state.withLock(\.body) }

  /// The path as it was sent, without the query.
  package var path: Substring { head.pathWithoutQuery }

  /// Of the backend that the request met.
  var service: Service { backend.service }

  /// Waits. Throws `CancellationError` as soon as another database is put behind the server: the request is to end then.
  package func pause(for time: Duration) async throws {
    guard let visit else { return try await Task.sleep(for: time) }
    try await visit.pause(for: time)
  }

  /// The fault that befell the request, if one did.
  package var fault: AppliedFault? {
    get { state.withLock { $0.fault } }
    set { state.withLock { $0.fault = newValue } }
  }

  /// The operation of the edition whose key the request shows; nil if it is none.
  package func operation() async -> Operation? {
    if let known = state.withLock({ $0.operation }) { return known }
    var operation: Operation?
    if let edition = await service.edition(ofKey: head.headerFields[.apiKey]),
      let route = edition.routes.find(head.method.rawValue, target.segments)?.route
    {
      operation = Operation(edition: edition.id, route: route)
    }
    state.withLock { $0.operation = .some(operation) }
    return operation
  }

  /// The account whose token the request shows, valid, expired or about to be signed out; nil if it shows none. It counts for
  /// no limit.
  package func account() async -> Account? {
    if let known = state.withLock({ $0.account }) { return known }
    let account = await lookedUpAccount()
    state.withLock { $0.account = .some(account) }
    return account
  }

  /// The account, if the server has found it out so far.
  package var knownAccount: Account? { state.withLock { $0.account ?? nil } }

  /// The edition whose key the request shows, if the server has found it out so far.
  package var knownEdition: EditionName? { state.withLock(\.edition) }

  /// Whether the body could be read and has a field that is not null. Any file counts as `image` and as `files`.
  package func hasField(_ name: String) -> Bool { state.withLock { $0.fields?.hasValue(of: name) ?? false } }

  /// A parameter of the query; nil if it is absent.
  package func query(_ name: String) -> String? { target[name] }

  /// The operation, if the server has found it out so far.
  package var knownOperation: Operation? { state.withLock { $0.operation ?? nil } }

  // MARK: Noted by who answers

  func found(_ route: MadangAPI.Route, of edition: EditionName) {
    state.withLock { $0.operation = Operation(edition: edition, route: route) }
  }

  func found(_ edition: EditionName) { state.withLock { $0.edition = edition } }

  func read(_ fields: Fields) { state.withLock { $0.fields = fields } }

  func found(_ caller: Caller) {
    state.withLock { $0.account = Account(number: caller.id, email: caller.person.email) }
  }

  func read(_ chunk: [UInt8]) { state.withLock { $0.body.add(chunk) } }

  func read(partNamed name: String, fileName: String?, size: Int, text: [UInt8]?) {
    state.withLock { state in
      state.body.parts.append(
        Body.Part(name: name, fileName: fileName, size: size, text: text.map { Array($0.prefix(Body.limit)) }))
    }
  }

  private func lookedUpAccount() async -> Account? {
    guard let edition = await service.edition(ofKey: head.headerFields[.apiKey]),
      let session = await claims(in: edition)?.session,
      let caller = try? await service.madang.caller(session: session, edition: edition.name)
    else { return nil }
    return Account(number: caller.id, email: caller.person.email)
  }

  private func claims(in edition: Edition) async -> AccessTokens.Claims? {
    guard let token = head.headerFields[.authorization].flatMap(rawToken) else { return nil }
    return try? await service.claims(of: token, edition: edition)
  }

  /// What the request is answered with if its access token has expired. The session may renew it then, also where the token is
  /// valid in truth.
  package func refusalOfExpiredToken() async -> Response {
    do throws(Refusal) {
      if let edition = await service.edition(ofKey: head.headerFields[.apiKey]),
        let claims = await claims(in: edition)
      {
        try service.limits.refuseExpiredToken(of: claims.number)
      }
      throw Refusal(.tokenExpired, "as if the access token had expired")
    } catch {
      return .refusal(error)
    }
  }
}
