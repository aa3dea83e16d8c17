import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import Synchronization

/// A request as it arrived, before its caller is known.
package struct ReceivedRequest {
  let service: Service
  package let request: Request
  package let target: RequestTarget
  /// The connection that the request came by.
  let connection: any NIOCore.Channel
  let client: ClientAddress
  package let body: BodyReader
  /// Whether it came by the listener for operators only.
  package let isForOperators: Bool

  init(_ request: Request, over channel: any NIOCore.Channel, at service: Service, isForOperators: Bool = false) {
    (self.service, self.request, connection, self.isForOperators) = (service, request, channel, isForOperators)
    target = RequestTarget(request.head.path ?? "")
    client = service.callers.client(request.headers, peer: channel.remoteAddress)
    body = BodyReader(
      request, store: service.madang.files, limits: service.settings.body,
      maxFileSize: service.madang.setting(\.files.maxSize), ledger: service.limits.ledger, payer: client.networkHash)
  }

  package var isSecure: Bool { service.isSecure(client) }
}

extension Service {
  /// Whether a client came over TLS, directly or to a trusted proxy.
  func isSecure(_ client: ClientAddress) -> Bool { client.isSecure || settings.tls.isUsed }
}

/// Posts a chat, or finds the one that was posted before.
package typealias Posting = @Sendable (_ draft: ChatDraft, _ post: () async throws -> Chat) async throws -> Chat

/// A call of an edition: what a route needs to know of its request.
package struct Call {
  let service: Service
  let edition: Edition
  package let request: Request
  package let target: RequestTarget
  let connection: any NIOCore.Channel
  let client: ClientAddress
  package let body: BodyReader
  let parameters: PathParameters
  /// Nil on public routes.
  let identity: Principal?
  package let outcome: CallOutcome
  /// Of a history that a page reads; nil for all of it.
  package var historyEnd: HistoryEnd?
  /// Stands around the posting of a chat whose body was read; nil if nothing does.
  package var posting: Posting?
  /// Whether a page of this server makes it, without a key.
  private let isOfPage: Bool

  init(
    _ received: ReceivedRequest, _ edition: Edition, _ parameters: PathParameters, by identity: Principal?,
    isOfPage: Bool = false
  ) {
    self.isOfPage = isOfPage
    (service, request, target) = (received.service, received.request, received.target)
    (connection, client, body) = (received.connection, received.client, received.body)
    (self.edition, self.parameters, self.identity) = (edition, parameters, identity)
    outcome = CallOutcome(identity)
  }

  package var madang: Madang { service.madang }
  var dates: WireDates { edition.dates }
  /// From where the caller acts.
  package var origin: Origin {
    Origin(
      edition: edition.name, address: client.text,
      keyHash: isOfPage ? nil : request.headers[.apiKey].map { Madang.keyHash($0) },
      place: SignInPlace(network: client.site, device: DeviceKind(userAgent: request.headers[.userAgent]).rawValue),
      languages: request.headers[.acceptLanguage])
  }

  /// The caller, on routes with a token. The operation looks it up together with what it asks for.
  package var principal: Principal {
    get throws {
      guard let identity else { throw Refusal(.badToken, "the route needs an access token") }
      return identity
    }
  }

  /// The object a path parameter names, by this edition's form of id.
  func reference(_ parameter: String) -> Reference { edition.reference(parameters[parameter] ?? "") }
}

/// What a call has brought about.
package final class CallOutcome: Sendable {
  private struct State {
    var session: SocketCookie.Session
    var account: Learned.Account?
    var chat: Chat?
    var payment: Learned.Payment?
  }

  private let state: Mutex<State>

  init(_ principal: Principal?) { state = Mutex(State(session: principal.map { .live($0.session) } ?? .none)) }

  /// The client has signed in, or up.
  func begin(_ signedIn: SignedIn) {
    let person = signedIn.account.person
    state.withLock { state in
      state.session = .live(signedIn.session)
      state.account = Learned.Account(number: person.id.number, email: person.email)
    }
  }

  /// The account that was signed in to.
  var account: Learned.Account? { state.withLock(\.account) }

  /// The session that the client has after the call.
  var session: SocketCookie.Session {
    get { state.withLock(\.session) }
    set { state.withLock { $0.session = newValue } }
  }

  /// What was posted.
  package var chat: Chat? {
    get { state.withLock(\.chat) }
    set { state.withLock { $0.chat = newValue } }
  }

  /// The payment that was claimed.
  var payment: Learned.Payment? {
    get { state.withLock(\.payment) }
    set { state.withLock { $0.payment = newValue } }
  }
}
