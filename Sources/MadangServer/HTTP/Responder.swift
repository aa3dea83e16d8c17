import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import NIOCore
import SocketIOServer
import Storage

/// Answers a call of an edition, with the steps in the contract's order (docs/reference/wire-contract.md#order-of-checks).
///
/// The numbers of steps are those of the contract. The first step that throws decides the answer.
struct Responder {
  private let received: ReceivedRequest
  private let service: Service
  /// Nil for a call with a key. The edition is nil if this server does not speak it.
  private let page: (call: PageCall, edition: Edition?)?

  init(_ received: ReceivedRequest, page: (call: PageCall, edition: Edition?)? = nil) {
    (self.received, service, self.page) = (received, received.service, page)
  }

  /// Answers a client.
  func answer() async -> Answer {
    await run { progress in
      let (request, client) = (received.request, received.client)
      // 1. The key.
      let known =
        if let page { page.edition } else {
          await service.callers.edition(ofKey: request.headers.value(of: .apiKey))
        }
      guard let edition = known else { throw Refusal(.badKey, "SesacKey: is missing or unknown") }
      progress.edition = edition
      let match =
        if let page { page.call.operation } else {
          service.routes.of(edition.id).find(request.method.rawValue, received.target.segments)
        }
      progress.operation = match?.row
      if let refusal = page?.call.originRefusal { throw refusal }
      // 2. Call limits.
      let access = match?.row.route.access
      let token =
        if let page { page.call.session?.token } else {
          try await service.callers.shownToken(in: request, from: client, for: access, edition)
        }
      try service.callers.countCall(by: token, access, from: client)
      // 3. The path and the method.
      guard let (operation, parameters) = match else { throw Refusal(unknown: request, in: edition) }
      // 4. The token.
      if let flaw = page?.call.flaw { throw flaw }
      let principal = try await service.callers.principal(
        token, operation.route.access, edition, in: request, from: client)
      progress.principal = principal
      // 5 to 8. The body, and the rules of the operation.
      let call = Call(received, edition, parameters, by: principal, isOfPage: page != nil)
      progress.outcome = call.outcome
      var response: Response
      do { response = try await perform(operation, call) } catch {
        // Step 4 comes first: the caller is looked up late.
        if let principal, error.isOfCall { try await confirm(principal) }
        throw error
      }
      if let principal { try await confirm(principal) }
      logSignIn(operation, call)
      if operation.setsCookie {
        service.callers.cookie.set(for: call.outcome.session, in: &response, received.isSecure)
      }
      return response
    }
  }

  /// Answers as if an account had called, for development mode: without key and token, and without a trace in limits and of addresses.
  /// - Parameter principal: Nil for a client without an account, which may make public calls.
  func answer(as principal: Principal?, _ edition: Edition) async -> Answer {
    await run { progress in
      progress.edition = edition
      let match = service.routes.of(edition.id).find(received.request.method.rawValue, received.target.segments)
      progress.operation = match?.row
      if match?.row.route.access.isOfAccount ?? false { progress.principal = principal }
      guard let (operation, parameters) = match else { throw Refusal(unknown: received.request, in: edition) }
      let call = Call(received, edition, parameters, by: progress.principal)
      progress.outcome = call.outcome
      if call.identity != nil { call.body.takesFiles = { true } }
      let response = try await operation.handler(call)
      logSignIn(operation, call)
      return response
    }
  }

  /// Runs the steps, and does what follows every call: explanation, metrics, security log, and the rest of the body.
  private func run(_ steps: (inout CallProgress) async throws -> Response) async -> Answer {
    var progress = CallProgress()
    let response: Response
    do {
      response = try await steps(&progress)
      service.reports.metrics.finished(progress.place, began: progress.began, code: String(response.status.code))
    } catch {
      let refusal = service.refusal(of: error, in: progress.edition)
      service.reports.metrics.finished(progress.place, began: progress.began, code: refusal.code.rawValue)
      service.reports.security.refused(refusal.code, progress.operation?.route, at: received.client)
      var refused = Response.refusal(refusal, isExplained: service.settings.isDevelopment)
      if page != nil { refused.headers[.pageWord] = refusal.pageWord }
      response = refused
    }
    // Some clients report a network error if the answer arrives while they still send.
    await received.body.finish()
    return Answer(response: response, learned: Learned(progress, fields: received.body.found))
  }

  private func perform(_ operation: EditionOperation, _ call: Call) async throws -> Response {
    if let principal = call.identity {
      call.body.takesFiles = {
        try await confirm(principal)
        return true
      }
    }
    return try await operation.handler(call)
  }

  private func logSignIn(_ operation: EditionOperation, _ call: Call) {
    if operation.route.access == .publicKey, case .live(let session) = call.outcome.session {
      service.reports.security.signedIn(session.number, by: operation.route, at: received.client)
    }
  }

  /// Throws unless the caller's session and account exist. Most operations have looked that up already. The account is then known at
  /// the address.
  private nonisolated(nonsending) func confirm(_ principal: Principal) async throws {
    let caller = if let caller = principal.caller { caller } else { try await service.madang.caller(principal) }
    service.limits.calls.note(caller.session.number, of: caller.id)
    service.callers.recent.saw(caller.id, at: received.client)
    service.reports.loopback?.saw(received.request, from: received.connection.remoteAddress, account: caller.id)
  }
}

extension Refusal {
  fileprivate init(unknown request: Request, in edition: Edition) {
    self.init(
      .unknownPath, "\(request.method.rawValue) \(request.uri.path) is not a route of edition \(edition.name)")
  }
}

extension Error {
  /// Whether the error depends on the call, so that other callers might get another answer. False for errors of the database, and of the
  /// session and account, which ``Responder`` would have to look up again.
  fileprivate var isOfCall: Bool {
    switch self {
    case let failure as Failure: failure.code != .noSuchSession && failure.code != .accountGone
    case is Refusal: true
    case let error as StorageError: error.code == .unique || error.code == .writesStopped
    default: false
    }
  }
}
