import Hummingbird
import MadangAPI
import MadangCore
import NIOCore
import Synchronization

extension ServerControls {
  /// Does something on the server's data; the database stays open until it is done.
  package func answering<Answer>(_ body: (Madang) async throws -> Answer) async rethrows -> Answer {
    try await current.answering { try await body($0.madang) }
  }

  /// Has a request answered as if this account had sent it to an edition, without a token. It counts for no limit, and the
  /// account is not seen at the address. The account has one session for this, beside its own.
  ///
  /// - Parameters:
  ///   - email: The account's.
  ///   - channel: The connection the request came by.
  /// - Throws: ``BadCall`` if this server does not speak the edition, or the account is not there or may do nothing.
  package func answer(
    _ request: Request, as email: String, _ edition: EditionName, over channel: any NIOCore.Channel
  ) async throws -> Response {
    let visit = SharedVisit(current.visit(over: channel))
    let service = visit.service
    guard let edition = service.editions.first(where: { $0.id == edition }), let development = service.development
    else { throw BadCall("edition: this server does not speak \(edition.rawValue)") }
    do {
      guard let account = try await service.madang.accountNumber(email: email) else {
        throw BadCall("nobody has the e-mail '\(email)'")
      }
      let caller = try await development.sessions.caller(account, edition, service.madang)
      let context = Context(channel: channel, logger: service.logger)
      let response = try await CallResponder(
        service: service, actor: .init(principal: Principal(caller), edition: edition)
      ).respond(
        to: request, RequestTarget(request.head.path ?? ""), context)
      return response.holding(visit)
    } catch let failure as Failure {
      throw BadCall(failure.message)
    }
  }

  /// The same as ``answering(_:)``, for an answer that is written while the database is read.
  ///
  /// - Parameter channel: The connection that is answered; it is closed if that takes too long.
  package func streaming(
    over channel: any NIOCore.Channel, _ body: (Madang) async throws -> Response
  ) async throws -> Response {
    let visit = SharedVisit(current.visit(over: channel))
    return try await body(visit.service.madang).holding(visit)
  }

  /// The edition that a key belongs to.
  package func edition(ofKey key: String?) async -> EditionName? {
    await current.backend.service.edition(ofKey: key)?.id
  }

  /// A chat as an edition sends it.
  package func json(_ chat: Chat, _ edition: EditionName) -> [UInt8] {
    Edition.named(edition, offset: current.backend.service.settings.offset(of: edition) ?? 0).encode(chat)
  }

  /// What a refused operation is answered with in the newest edition.
  package func code(of failure: Failure) -> ErrorCode {
    Refusal(failure, in: .named(.october2024, offset: 0)).code
  }
}

/// The sessions in which accounts are acted for, one of each account and edition.
final class DevelopmentSessions: Sendable {
  struct Key: Hashable, Sendable {
    let account: Int64
    let edition: EditionName
  }

  private let sessions = Mutex<[Key: SessionID]>([:])

  /// Throws `Failure(.signInFailed)` if the account is disabled.
  func caller(_ account: Int64, _ edition: Edition, _ madang: Madang) async throws -> Caller {
    let key = Key(account: account, edition: edition.id)
    if let session = sessions.withLock({ $0[key] }) {
      do { return try await madang.caller(session: session, edition: edition.name) } catch let failure as Failure
        where failure.code == .noSuchSession
      {
        // It was signed out; another one takes its place.
      }
    }
    let session = try await madang.beginSession(of: account, edition: edition.name)
    sessions.withLock { $0[key] = session }
    return try await madang.caller(session: session, edition: edition.name)
  }

  /// As they are kept in snapshots.
  var kept: [Key: SessionID] {
    get { sessions.withLock(\.self) }
    set { sessions.withLock { $0 = newValue } }
  }
}
