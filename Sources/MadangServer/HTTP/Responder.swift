import HTTPTypes
import Hummingbird
import Logging
import MadangAPI
import MadangCore
import NIOCore
import SocketIOServer
import Storage

/// Answers every request: the contract's order of checks, then the edition's route (contract section 3.1).
struct Responder: HTTPResponder {
  let base: ServerBase
  let current: CurrentBackend

  func respond(to request: Request, context: Context) async throws -> Response {
    let target = RequestTarget(request.head.path ?? "")
    guard let instruments = base.instruments, target.segments.first != "_dev" else {
      return try await answer(request, target, context)
    }
    let exchange = Exchange(request.head, target, over: context.channel, current.backend.service)
    return try await instruments.respond(exchange, request) { try await answer($0, target, context) }
  }

  private func answer(_ request: Request, _ target: RequestTarget, _ context: Context) async throws -> Response {
    if base.socketIO.isSocketPath(request.uri.path) {
      return await base.socketIO.respond(to: request, channel: context.channel)
    }
    return try await current.backend.answering {
      try await CallResponder(service: $0).respond(to: request, target, context)
    }
  }
}

private struct CallResponder {
  let service: Service

  func respond(to request: Request, _ target: RequestTarget, _ context: Context) async throws -> Response {
    if let response = try await service.operations(request, target, context) { return response }
    let client = service.client(request.headers, peer: context.channel.remoteAddress)
    let body = BodyReader(
      request, store: service.madang.files, limits: service.settings.body,
      maxFileSize: service.madang.settings.maxFileSize, ledger: service.ledger, payer: KeyHash(client.network))
    var observation = Metrics.Observation()
    let response: Response
    let edition = await service.edition(ofKey: request.headers[.apiKey])
    do {
      guard let edition else { throw Refusal(.badKey, "SesacKey: is missing or unknown") }
      observation.edition = edition.name
      do {
        response = try await answer(request, target, body, client, context, edition, &observation)
      } catch let failure as Failure { throw Refusal(failure, in: edition) }
      service.metrics.finished(observation, code: String(response.status.code))
    } catch {
      let refusal = refusal(of: error, context)
      service.metrics.finished(observation, code: refusal.code.rawValue)
      service.securityLog.refused(refusal.code, observation.route, at: client)
      var refused = Response.refusal(refusal)
      if service.settings.isDevelopment { refused.headers[.explanation] = explanation(refusal) }
      response = refused
    }
    // Some clients report a network error if the answer comes while they still send.
    await body.finish()
    return response
  }

  private func answer(
    _ request: Request, _ target: RequestTarget, _ body: BodyReader, _ client: ClientAddress, _ context: Context,
    _ edition: Edition, _ observation: inout Metrics.Observation
  ) async throws -> Response {
    let token = service.token(of: request)
    let match = edition.routes.find(request.method.rawValue, target.segments)
    observation.route = match?.route
    let address = KeyHash(client.network)
    let withoutSession: CallLimits.Subject =
      match?.route.access == .refreshToken ? .refreshes(address: address) : .address(address)
    var claims: AccessTokens.Claims?
    if let token {
      claims = try await service.claims(of: token, edition: edition, for: match?.route.access, or: withoutSession)
    }
    // Where no token is asked for, one that is shown does not help.
    let payer: CallLimits.Subject? =
      switch match?.route.access {
      case .token, .expiredToken, nil: claims.map { .session($0.number) }
      case .publicKey, .refreshToken: nil
      }
    try service.limits.count(payer ?? withoutSession)
    guard let match else {
      throw Refusal(
        .unknownPath, "\(request.method.rawValue) \(request.uri.path) is no route of edition \(edition.name)")
    }
    let identity = try await service.authenticate(
      match.route.access, token: token, claims: claims, address: address, edition: edition)
    if let identity { service.recent.saw(identity.id, at: client) }
    body.takesFiles = identity != nil
    let session = SessionOfCall(identity)
    var response = try await match.handler(
      Call(
        service: service, edition: edition, request: request, client: client, context: context, target: target,
        parameters: match.parameters, body: body, identity: identity, session: session))
    if match.route.access == .publicKey, case .live(let session) = session.state {
      service.securityLog.signedIn(session.number, by: match.route, at: client)
    }
    // What caches may keep is nobody's own.
    if response.headers[.cacheControl] == "no-store" {
      response.headers[.setCookie] = service.cookie.field(for: session.state, isSecure: client.isSecure)
    }
    return response
  }

  private func refusal(of error: any Error, _ context: Context) -> Refusal {
    switch error {
    case let refusal as Refusal: return refusal
    case let error as StorageError where error.code == .unique:
      // Two processes raced for one name; the database's own rule decided.
      return Refusal(.duplicate, "somebody else was faster")
    case let error as StorageError where error.code == .overloaded:
      return Refusal(.tooManyCalls, "the database has more work waiting than it may hold", retryAfter: 1)
    default:
      context.logger.error("request failed", metadata: ["error": "\(String(reflecting: error))"])
      return Refusal(.serverFailure, "see the server's log")
    }
  }

  /// A header value holds visible ASCII only.
  private func explanation(_ refusal: Refusal) -> String {
    let text = "\(refusal.code.rawValue) \(refusal.code.meaning): \(refusal.message)"
    return String(text.map { $0.isASCII && !$0.isNewline ? $0 : "?" }.prefix(400))
  }
}

extension HTTPField.Name {
  // A valid name by inspection, which `init?` cannot know.
  static let explanation = Self("X-Madang-Explanation") ?? .via
}
