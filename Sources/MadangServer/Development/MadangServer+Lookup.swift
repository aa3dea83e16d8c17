import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations
import SocketIOServer

/// What a request is for, without answering it.
extension MadangServer {
  /// The edition that a key belongs to.
  package func edition(ofKey key: String?) async -> EditionName? { await service.edition(ofKey: key)?.id }

  /// The operation of the edition whose key the request shows; nil if it is none.
  package func operation(of head: HTTPRequest) async -> EditionOperation? {
    let edition = await service.edition(ofKey: head.headerFields[.apiKey])
    return edition?.routes.find(head.method.rawValue, RequestTarget(head.path ?? "").segments)?.operation
  }

  /// The account whose token the request shows, valid, expired or about to be signed out; nil if it shows none. It counts for
  /// no limit.
  package func account(of head: HTTPRequest) async -> Learned.Account? {
    guard let edition = await service.edition(ofKey: head.headerFields[.apiKey]),
      let session = await claims(of: head, in: edition)?.session,
      let caller = try? await madang.caller(session: session, edition: edition.name)
    else { return nil }
    return Learned.Account(caller)
  }

  private func claims(of head: HTTPRequest, in edition: Edition) async -> AccessTokens.Claims? {
    guard let token = head.headerFields[.authorization].flatMap(rawToken) else { return nil }
    return try? await service.claims(of: token, edition: edition)
  }

  /// What the request is answered with if its access token has expired. The session may renew it then, also where the token is
  /// valid in truth.
  package func refusalOfExpiredToken(_ head: HTTPRequest) async -> Response {
    do throws(Refusal) {
      if let edition = await service.edition(ofKey: head.headerFields[.apiKey]),
        let claims = await claims(of: head, in: edition)
      {
        try service.limits.refuseExpiredToken(of: claims.number, call: head.call)
      }
      throw Refusal(.tokenExpired, "as if the access token had expired")
    } catch {
      return .refusal(error)
    }
  }

  /// The account that a socket of a room belongs to, by its number; nil where it was let in without one.
  package static func account(of data: SocketData) -> Int64? { data[AdmittedSockets.Reason.self]?.user }

  /// A chat as an edition sends it.
  package func json(_ chat: Chat, _ edition: EditionName) -> [UInt8] {
    Edition.named(edition, offset: settings.offset(of: edition) ?? 0).encode(chat)
  }

  /// What a refused operation is answered with in the newest edition.
  package static func code(of failure: Failure) -> ErrorCode {
    Refusal(failure, in: .named(.october2024, offset: 0)).code
  }
}
