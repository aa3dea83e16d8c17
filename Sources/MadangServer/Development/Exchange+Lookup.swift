import Hummingbird
import MadangAPI
import MadangCore

extension Exchange {
  /// The operation of the edition whose key the request shows; nil if it is none.
  package func operation() async -> EditionOperation? {
    if let known = withKnown({ $0.lookedUpOperation }) { return known }
    let edition = await service.edition(ofKey: head.headerFields[.apiKey])
    let operation = edition?.routes.find(head.method.rawValue, target.segments)?.operation
    lookedUp(operation)
    return operation
  }

  /// The account whose token the request shows, valid, expired or about to be signed out; nil if it shows none. It counts for
  /// no limit.
  package func account() async -> Account? {
    if let known = withKnown({ $0.lookedUpAccount }) { return known }
    let account = await searchAccount()
    lookedUp(account)
    return account
  }

  private func searchAccount() async -> Account? {
    guard let edition = await service.edition(ofKey: head.headerFields[.apiKey]),
      let session = await claims(in: edition)?.session,
      let caller = try? await service.madang.caller(session: session, edition: edition.name)
    else { return nil }
    return Account(caller)
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
        try service.limits.refuseExpiredToken(of: claims.number, call: head.call)
      }
      throw Refusal(.tokenExpired, "as if the access token had expired")
    } catch {
      return .refusal(error)
    }
  }
}
