import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import SocketIOServer

/// Properties of a request, without answering it.
extension MadangServer {
  /// The edition that a key belongs to.
  package func edition(ofKey key: String?) async -> EditionName? { await service.callers.edition(ofKey: key)?.id }

  /// The request's operation in the edition of its key, or of its page; nil if it is not an operation.
  package func operation(of head: HTTPRequest) async -> EditionOperation? {
    if let call = annex?.call(in: head) {
      return service.routes.of(call.edition).find(head.method.rawValue, call.path)?.row
    }
    guard let edition = await edition(ofKey: head.headerFields[.apiKey]) else { return nil }
    return service.routes.of(edition).find(head.method.rawValue, RequestTarget(head.path ?? "").segments)?.row
  }

  /// The account of the request's token, which may be valid, expired or about to be signed out; nil without a token. It
  /// counts for no limit.
  package func account(of head: HTTPRequest) async -> Learned.Account? {
    guard let (edition, claims) = await claims(of: head), let session = claims.session,
      let caller = try? await madang.caller(session: session, edition: edition.name)
    else { return nil }
    return Learned.Account(caller)
  }

  /// The number of the account whose token or cookie a client shows when it joins a namespace; nil without one. It counts for
  /// no limit.
  /// - Parameter auth: The connect payload.
  package func account(joiningBy handshake: Handshake, _ auth: [UInt8]) async -> Int64? {
    let callers = service.callers
    let credentials = SocketCredentials(handshake, auth)
    let ofKey = await callers.edition(ofKey: credentials.key)
    for edition in ofKey.map({ [$0] }) ?? callers.editions {
      var session = callers.cookie.session(in: handshake.headers)
      if let token = credentials.token {
        session = (try? await callers.claims(of: token, edition: edition))?.session
      }
      if let session, let caller = try? await madang.caller(session: session, edition: edition.name) {
        return caller.id
      }
    }
    return nil
  }

  /// The claims of the token that a request shows, as a client's or by the cookie of a page.
  private func claims(of head: HTTPRequest) async -> (Edition, AccessTokens.Claims)? {
    let (edition, token): (Edition?, String?) =
      if let call = annex?.call(in: head) {
        (service.callers.editions.first { $0.id == call.edition }, call.token)
      } else {
        (
          await service.callers.edition(ofKey: head.headerFields[.apiKey]),
          head.headerFields[.authorization].flatMap(rawToken)
        )
      }
    guard let edition, let token, let claims = try? await service.callers.claims(of: token, edition: edition) else {
      return nil
    }
    return (edition, claims)
  }

  /// The answer to a request with an expired access token. The session may then refresh, even if the token is actually
  /// valid.
  package func refusalOfExpiredToken(_ head: HTTPRequest) async -> Response {
    do throws(Refusal) {
      if let (_, claims) = await claims(of: head) {
        try service.limits.calls.refuseExpiredToken(of: claims.number, call: head.call)
      }
      throw Refusal(.tokenExpired, "treated as an expired access token")
    } catch {
      return .refusal(error)
    }
  }

  /// The account number of a room's socket; nil if it was admitted without an account.
  package static func account(of data: SocketData) -> Int64? { data[AdmittedSockets.Grant.self]?.user }

  /// A chat in the form of an edition.
  package func json(_ chat: Chat, _ edition: EditionName) -> [UInt8] {
    Edition(edition, offset: settings.offset(of: edition) ?? 0).encode(chat)
  }

  /// The answer to a refused operation in the newest edition.
  package static func code(of failure: Failure) -> ErrorCode {
    Refusal(failure, in: Edition(.october2024, offset: 0)).code
  }
}
