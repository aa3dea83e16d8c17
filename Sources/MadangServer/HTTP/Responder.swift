import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import SocketIOServer
import Storage

extension MadangServer {
  /// Answers a request.
  package func answer(_ request: Request, over channel: any NIOCore.Channel) async throws -> Answer {
    if socketIO.isSocketPath(request.head.pathWithoutQuery) {
      return Answer(response: await socketIO.respond(to: request, channel: channel))
    }
    return try await CallResponder(service: service).respond(
      to: request, RequestTarget(request.head.path ?? ""), Context(channel: channel, logger: service.logger))
  }
}

/// Answers calls: checks them in the order of the contract, then runs the edition's route (wire contract, Order of checks).
struct CallResponder {
  /// Somebody in whose place development mode calls: without a token, and without a trace in limits and of addresses.
  struct Actor {
    let principal: Principal
    let edition: Edition
  }

  let service: Service
  var actor: Actor?

  func respond(to request: Request, _ target: RequestTarget, _ context: Context) async throws -> Answer {
    if actor == nil { service.loopback?.saw(request, from: context.channel.remoteAddress) }
    if actor == nil, let response = try await service.operations(request, target, context) {
      return Answer(response: response)
    }
    let client = service.client(request.headers, peer: context.channel.remoteAddress)
    let body = BodyReader(
      request, store: service.madang.files, limits: service.settings.body,
      maxFileSize: service.madang.setting(\.files.maxSize), ledger: service.ledger, payer: client.networkHash)
    if actor == nil, var page = await page(request, target, client, body) {
      if service.settings.tls.isUsed { page.headers[.strictTransportSecurity] = "max-age=31536000" }
      await body.finish()
      return Answer(response: page)
    }
    if actor == nil, let provider = ProviderHook.provider(in: target),
      let answer = await ProviderHook(service: service, provider: provider).respond(to: request, target, client, body)
    {
      await body.finish()
      return Answer(response: answer)
    }
    var (observation, learned) = (Metrics.Observation(), Learned())
    let response: Response
    var edition = actor?.edition
    if edition == nil { edition = await service.edition(ofKey: request.headers.value(of: .apiKey)) }
    do {
      guard let edition else { throw Refusal(.badKey, "SesacKey: is missing or unknown") }
      observation.edition = edition.name
      do {
        response = try await answer(request, target, body, client, context, edition, &observation, &learned)
      } catch let failure as Failure { throw Refusal(failure, in: edition) }
      service.metrics.finished(observation, code: String(response.status.code))
    } catch {
      let refusal = refusal(of: error, context)
      service.metrics.finished(observation, code: refusal.code.rawValue)
      service.securityLog.refused(refusal.code, observation.route, at: client)
      var refused = Response.refusal(refusal)
      if service.settings.isDevelopment {
        refused.headers[.explanation] = fieldText(
          "\(refusal.code.rawValue) \(refusal.code.meaning): \(refusal.message)")
      }
      if refusal.isForCaller { refused.headers[.reason] = fieldText(refusal.message) }
      response = refused
    }
    // Some clients report a network error if the answer comes while they still send.
    await body.finish()
    learned.fields = body.found
    return Answer(response: response, learned: learned)
  }

  /// The answer of a page for people; nil for a path of something else.
  private func page(_ request: Request, _ target: RequestTarget, _ client: ClientAddress, _ body: BodyReader) async
    -> Response?
  {
    guard let (page, place) = LinkPage.place(in: target) else { return nil }
    switch (page, place) {
    case (.invite, .link(let code)):
      return await InvitePage(service: service).respond(to: request, code: code, client, body)
    case (.invite, .request): return nil
    case (.confirm, _): return await ConfirmPage(service: service).respond(to: request, place, client, body)
    case (.password, _): return await PasswordPage(service: service).respond(to: request, place, client, body)
    }
  }

  private func answer(
    _ request: Request, _ target: RequestTarget, _ body: BodyReader, _ client: ClientAddress, _ context: Context,
    _ edition: Edition, _ observation: inout Metrics.Observation, _ learned: inout Learned
  ) async throws -> Response {
    let match = edition.routes.find(request.method.rawValue, target.segments)
    observation.route = match?.route
    (learned.operation, learned.edition) = (match?.operation, edition.id)
    let identity =
      if let actor {
        match?.route.access.isOfAccount ?? false ? actor.principal : nil
      } else {
        try await principal(of: request, match?.route.access, client, edition)
      }
    learned.caller = identity
    guard let match else {
      throw Refusal(
        .unknownPath, "\(request.method.rawValue) \(request.uri.path) is not a route of edition \(edition.name)")
    }
    if let identity {
      body.takesFiles = {
        try await look(up: identity, client, request, context)
        return true
      }
    }
    let outcome = CallOutcome(identity)
    let call = Call(
      service: service, edition: edition, request: request, client: client, context: context, target: target,
      parameters: match.parameters, body: body, identity: identity, outcome: outcome)
    var response: Response
    do { response = try await match.handler(call) } catch {
      // The token is checked before the body (wire contract, Order of checks).
      if let identity, error.isOfCall { try await look(up: identity, client, request, context) }
      throw error
    }
    // The operation has asked already, unless it is one that is the same for everybody.
    if let identity { try await look(up: identity, client, request, context) }
    learned.chat = outcome.chat
    if match.route.access == .publicKey, case .live(let session) = outcome.session {
      service.securityLog.signedIn(session.number, by: match.route, at: client)
    }
    // What caches may keep is nobody's own.
    if response.headers.value(of: .cacheControl) == "no-store", actor == nil {
      response.headers[.setCookie] = service.cookie.field(
        for: outcome.session, isSecure: client.isSecure || service.settings.tls.isUsed)
    }
    return response
  }

  /// Throws unless it is known who calls. The account is seen at the address.
  private nonisolated(nonsending) func look(
    up principal: Principal, _ client: ClientAddress, _ request: Request, _ context: Context
  ) async throws {
    let caller = if let caller = principal.caller { caller } else { try await service.madang.caller(principal) }
    guard actor == nil else { return }
    service.limits.note(caller.session.number, of: caller.id)
    service.recent.saw(caller.id, at: client)
    service.loopback?.saw(request, from: context.channel.remoteAddress, account: caller.id)
  }

  /// Who calls by the token shown, as far as the route asks for one. Counted for limits.
  /// - Parameter access: What the route asks for; nil for a path that is none.
  private nonisolated(nonsending) func principal(
    of request: Request, _ access: Access?, _ client: ClientAddress, _ edition: Edition
  ) async throws -> Principal? {
    let token = service.token(of: request)
    let withoutSession: CallLimits.Subject =
      access == .refreshToken ? .refreshes(address: client.networkHash) : .address(client.networkHash)
    var claims: AccessTokens.Claims?
    if let token {
      claims = service.tokens.knownClaims(of: token)
      if claims == nil {
        claims = try await service.claims(of: token, edition: edition, for: access, or: withoutSession)
      }
    }
    // Where no token is asked for, one that is shown does not help.
    let payer = access?.isOfAccount ?? true ? claims?.number : nil
    try service.limits.countCall(of: payer, or: withoutSession, from: client.networkHash)
    guard let access, access.isOfAccount else { return nil }
    return try await service.principal(
      token, claims, address: client.networkHash, edition, mayBeExpired: access == .expiredToken,
      call: request.head.call)
  }

  private func refusal(of error: any Error, _ context: Context) -> Refusal {
    switch error {
    case let refusal as Refusal: return refusal
    case let error as StorageError where error.code == .unique:
      // Two processes raced for one name; the database's own rule decided.
      return Refusal(.duplicate, "another request changed the same data at the same time")
    case let error as StorageError where error.code == .writesStopped:
      // What clients know from a database that takes no writes. A code with status 400 would have many of them renew their session and
      // call again, some without end; and some know no others where accounts are made.
      return Refusal(
        .serverFailure, "the server is in read-only mode: it accepts no changes for now", isForCaller: true)
    case let error as StorageError where error.code == .overloaded:
      return Refusal(.tooManyCalls, "too much work is waiting already: \(error.message)", retryAfter: 1)
    default:
      service.failureLog.write("request failed", error)
      return Refusal(.serverFailure, "see the server's log")
    }
  }

  /// A header value holds visible ASCII only.
  private func fieldText(_ text: String) -> String {
    String(text.map { $0.isASCII && !$0.isNewline ? $0 : "?" }.prefix(400))
  }
}

extension Error {
  /// Whether it says something of the call, so that another answer would be given to somebody else: not of the database, which would have
  /// to be asked, nor of who calls.
  fileprivate var isOfCall: Bool {
    switch self {
    case let failure as Failure: failure.code != .noSuchSession && failure.code != .accountGone
    case is Refusal: true
    case let error as StorageError: error.code == .unique || error.code == .writesStopped
    default: false
    }
  }
}

extension Access {
  /// Whether the route acts for an account.
  fileprivate var isOfAccount: Bool {
    switch self {
    case .token, .expiredToken: true
    case .publicKey, .refreshToken: false
    }
  }
}

extension HTTPField.Name {
  // Valid names by inspection, which `init?` cannot know.
  static let explanation = Self("X-Madang-Explanation") ?? .via
  static let reason = Self(HeaderName.reason) ?? .via
}
