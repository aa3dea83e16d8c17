import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore
import Synchronization

/// One HTTP request and what is known of it, for the instruments of development mode.
package final class Exchange: Sendable {
  /// What an edition calls the request.
  package struct Operation: Hashable, Sendable {
    package let edition: EditionName
    package let route: MadangAPI.Route
  }

  package struct Account: Hashable, Sendable {
    package let number: Int64
    package let email: String
  }

  private struct State {
    /// Nil until it has been looked up.
    var operation: Operation??
    var account: Account??
    var fault: String?
  }

  package let head: HTTPRequest
  /// The connection the request came by.
  package let channel: any NIOCore.Channel
  private let target: RequestTarget
  private let service: Service
  private let state = Mutex(State())

  init(_ head: HTTPRequest, _ target: RequestTarget, over channel: any NIOCore.Channel, _ service: Service) {
    self.head = head
    self.target = target
    self.channel = channel
    self.service = service
  }

  /// The path as it was sent, without the query.
  package var path: Substring { (head.path ?? "").prefix { $0 != "?" } }

  /// How the journal calls the fault that befell the request, if one did.
  package var fault: String? {
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
