import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore

/// What development mode lets others do with a server.
extension MadangServer {
  /// Whether a client may make a call under `/_dev`.
  package enum DevelopmentAccess: Sendable {
    /// The path behind `/_dev`, and behind the token if it was there.
    case granted([String])
    case refused(Response)
    /// There are no such calls here.
    case unknown
  }

  /// - Parameter isForOperators: Whether the request came by the listener for operators only.
  package func developmentAccess(
    _ request: Request, over channel: any NIOCore.Channel, isForOperators: Bool
  ) -> DevelopmentAccess {
    let target = RequestTarget(request.head.path ?? "")
    guard target.segments.first == OperationsPath.development.rawValue, service.development != nil,
      isForOperators || service.isForOperators
    else { return .unknown }
    let path = service.developmentPath(
      of: target.segments.dropFirst(), request, Context(channel: channel, logger: service.logger))
    return path.map { .granted(Array($0)) } ?? .refused(.notLocal)
  }

  /// Answers a request as if this account had sent it to an edition, without a token. It counts for no limit, and the
  /// account is not seen at the address. The account has one session for this, beside its own.
  ///
  /// - Parameters:
  ///   - email: The account's.
  ///   - channel: The connection the request came by.
  /// - Throws: ``BadCall`` if this server does not speak the edition, or the account is not there or may do nothing.
  package func answer(
    _ request: Request, as email: String, _ edition: EditionName, over channel: any NIOCore.Channel
  ) async throws -> Answer {
    guard let edition = service.editions.first(where: { $0.id == edition }), let development = service.development
    else { throw BadCall("edition: this server does not speak \(edition.rawValue)") }
    do {
      guard let account = try await madang.accountNumber(email: email) else {
        throw BadCall("nobody has the e-mail '\(email)'")
      }
      let caller = try await development.sessions.caller(account, edition, madang)
      let context = Context(channel: channel, logger: service.logger)
      return try await CallResponder(service: service, actor: .init(principal: Principal(caller), edition: edition))
        .respond(to: request, RequestTarget(request.head.path ?? ""), context)
    } catch let failure as Failure {
      throw BadCall(failure.message)
    }
  }

  /// Records a payment that a customer has made; answers the `imp_uid` that a client shows then.
  /// - Parameter status: `paid`, `ready`, `cancelled` or `failed`.
  package func recordPayment(of merchantUID: String, amount: Int, status: String) throws(BadCall) -> String {
    guard let status = DevelopmentPayments.Status(rawValue: status) else {
      throw BadCall("status: there is no such one")
    }
    return try development.record(.init(merchantUID: merchantUID, amount: amount, status: status, impUID: nil)).impUID
  }

  /// A token as a provider, `apple` or `kakao`, would issue it.
  package func socialToken(
    from provider: String, subject: String, email: String?, nickname: String?
  ) throws(BadCall) -> String {
    try development.issue(.init(provider: provider, subject: subject, email: email, nickname: nickname)).token
  }

  /// What the stand-ins for other companies' servers know.
  package var standIns: StandIns {
    get { service.development?.standIns ?? StandIns() }
    set { service.development?.standIns = newValue }
  }

  private var development: Development {
    get throws(BadCall) {
      guard let development = service.development else { throw BadCall("the server is not in development mode") }
      return development
    }
  }
}
