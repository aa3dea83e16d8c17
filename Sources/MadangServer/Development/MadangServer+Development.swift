import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore

/// Development mode for the test kit.
extension MadangServer {
  /// Whether a client may make a call under `/_dev`.
  package enum DevelopmentAccess: Sendable {
    /// The path after `/_dev` and the token, if any.
    case granted([String])
    case refused(Response)
    /// This listener has no such calls.
    case unknown
  }

  /// - Parameter isForOperators: Whether the request came by the listener for operators only.
  package func developmentAccess(
    _ request: Request, over channel: any NIOCore.Channel, isForOperators: Bool
  ) -> DevelopmentAccess {
    guard service.development != nil, isForOperators || service.isForOperators else { return .unknown }
    let received = ReceivedRequest(request, over: channel, at: service, isForOperators: isForOperators)
    guard received.target.segments.first == OperatorsEndpoints.developmentRoot else { return .unknown }
    return received.developmentPath.map { .granted(Array($0)) } ?? .refused(.notLocal)
  }

  /// Answers a request as if this account had sent it to an edition, without needing a token. It counts for no limit, and
  /// does not record the account's address. The account has a separate session for this.
  ///
  /// - Parameters:
  ///   - email: The account's.
  ///   - channel: The connection the request came by.
  /// - Throws: ``BadCall`` if this server does not have the edition, or if the account is unknown or disabled.
  package func answer(
    _ request: Request, as email: String, _ edition: EditionName, over channel: any NIOCore.Channel
  ) async throws -> Answer {
    guard let edition = service.editions.first(where: { $0.id == edition }), let development = service.development
    else { throw BadCall("edition: this server does not speak \(edition.rawValue)") }
    do {
      guard let account = try await madang.accountNumber(email: email) else {
        throw BadCall("there is no account with the e-mail '\(email)'")
      }
      let caller = try await development.sessions.caller(account, edition, madang)
      let received = ReceivedRequest(request, over: channel, at: service)
      return await Responder(received).answer(as: Principal(caller), edition)
    } catch let failure as Failure {
      throw BadCall(failure.message)
    }
  }

  /// Records a customer's payment; returns the `imp_uid` for the client.
  /// - Parameter status: `paid`, `ready`, `cancelled` or `failed`.
  package func recordPayment(of merchantUID: String, amount: Int, status: String) throws(BadCall) -> String {
    guard let status = DevelopmentPayments.Status(rawValue: status) else {
      throw BadCall("status: this status does not exist")
    }
    return try development.record(.init(merchantUID: merchantUID, amount: amount, status: status, impUID: nil)).impUID
  }

  /// A token like those of a provider, `apple` or `kakao`.
  package func socialToken(
    from provider: String, subject: String, email: String?, nickname: String?
  ) throws(BadCall) -> String {
    try development.issue(.init(provider: provider, subject: subject, email: email, nickname: nickname)).token
  }

  /// The state of the stand-ins for providers.
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
