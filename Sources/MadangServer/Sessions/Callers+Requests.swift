import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import NIOCore

/// The token that a request shows, and its claims if this server issued it.
struct ShownToken {
  let text: String
  let claims: AccessTokens.Claims?
}

/// What a request shows of its caller: address, key and token.
extension Callers {
  /// The edition that a key belongs to, if this server speaks it.
  nonisolated(nonsending) func edition(ofKey key: String?) async -> Edition? {
    guard let key, let id = await keys.edition(of: key) else { return nil }
    return editions.first { $0.id == id }
  }

  /// The address that a request comes from.
  func client(_ headers: HTTPFields, peer: SocketAddress?) -> ClientAddress {
    ClientAddress(peer: peer, headers: headers, trust: trust)
  }

  /// The token in `Authorization`: raw, blanks trimmed, a leading `Bearer ` tolerated; nil if missing or empty.
  func token(of request: Request) -> String? {
    request.headers.value(of: .authorization).flatMap(rawToken)
  }

  /// The token of a request, read as far as its route needs it. Nil if it is missing or empty.
  ///
  /// Throws `E98` rather than look into the database for a caller without a session who has used up its limit.
  /// - Parameter access: Nil for an unknown path.
  nonisolated(nonsending) func shownToken(
    in request: Request, from client: ClientAddress, for access: Access?, _ edition: Edition
  ) async throws -> ShownToken? {
    guard let text = token(of: request) else { return nil }
    if let claims = tokens.knownClaims(of: text) { return ShownToken(text: text, claims: claims) }
    guard RefreshToken.hasForm(text) else { return ShownToken(text: text, claims: await tokens.claims(of: text)) }
    guard let access, access.isOfAccount else { return ShownToken(text: text, claims: nil) }
    try limits.check(.without(client, access))
    return ShownToken(text: text, claims: try await claims(of: text, edition: edition))
  }

  /// Counts a call: for its session if the route asks for a token or is unknown, else for the address. Throws `E98`.
  func countCall(by token: ShownToken?, _ access: Access?, from client: ClientAddress) throws(Refusal) {
    let session = access?.isOfAccount ?? true ? token?.claims?.number : nil
    try limits.countCall(of: session, or: .without(client, access), from: client.networkHash)
  }

  /// The claims of a token, if this server issued it: an access token, or the refresh token of a known session. Until it
  /// expires, a refresh token counts as the session's access token, because some clients confuse the two (wire contract,
  /// Sessions and tokens).
  nonisolated(nonsending) func claims(of token: String, edition: Edition) async throws -> AccessTokens.Claims? {
    guard RefreshToken.hasForm(token) else { return await tokens.claims(of: token) }
    do {
      let session = try await madang.session(refreshToken: token, edition: edition.name)
      return .init(session: session.id, edition: edition.name, expiresAt: session.refreshExpiresAt)
    } catch let failure as Failure where failure.code == .noSuchSession {
      return nil
    }
  }

  /// The principal that a call of a client acts as; nil if the route is not for accounts.
  nonisolated(nonsending) func principal(
    _ token: ShownToken?, _ access: Access, _ edition: Edition, in request: Request, from client: ClientAddress
  ) async throws -> Principal? {
    guard access.isOfAccount else { return nil }
    return try await principal(
      token?.text, token?.claims, address: client.networkHash, edition, mayBeExpired: access == .expiredToken,
      call: request.head.call)
  }

  /// The principal that an access token stands for (wire contract, Order of checks). Throws `E02`, `E05`, `E03` or `E98`, and `E06` for an
  /// expired refresh token: a client that keeps it as its access token signs out on that code only.
  ///
  /// For an unexpired token, the operation checks that its session exists. For an expired one, session and account decide
  /// the code, so they are looked up here.
  ///
  /// - Parameters:
  ///   - claims: The token's claims, if this server issued it.
  ///   - call: The requested operation. Repeating it with an expired token is a sign of a loop.
  nonisolated(nonsending) func principal(
    _ token: String?, _ claims: AccessTokens.Claims?, address: KeyHash, _ edition: Edition, mayBeExpired: Bool,
    call: @autoclosure () -> String
  ) async throws -> Principal {
    guard let token else { throw Refusal(.badToken, "Authorization: is missing or empty") }
    guard let claims, claims.edition == edition.name else {
      try limits.count(.unknownToken(KeyHash(token), address: address))
      throw Refusal(.badToken, "Authorization: this server does not know the token")
    }
    let session = if let session = claims.session { session } else { try await olderSession(of: claims) }
    let principal = Principal(session: session, edition: edition.name)
    guard claims.expiresAt <= madang.clock.now else { return principal }
    if RefreshToken.hasForm(token) {
      try limits.check(.refreshWithExpiredToken(session: session.number))
      throw Refusal(.refreshExpired, "Authorization: the refresh token has expired")
    }
    guard !mayBeExpired else { return principal }
    do { _ = try await madang.caller(principal) } catch let failure as Failure where failure.code == .accountGone {
      throw Refusal(.tokenExpired, "the access token has expired")
    }
    try limits.refuseExpiredToken(of: session.number, call: call())
    throw Refusal(.tokenExpired, "the access token has expired")
  }

  /// The minimum lifetime of tokens of the older form, in milliseconds.
  private static let olderLifetime: Int64 = 24 * 3_600_000

  /// The session of a token of the older form, which has only the session's number. The session must have begun before the
  /// token was issued; otherwise the client has to refresh.
  private func olderSession(of claims: AccessTokens.Claims) async throws -> SessionID {
    let session = try await madang.session(claims.number)
    guard session.begun <= claims.expiresAt - max(accessLifetime, Self.olderLifetime) else {
      throw Refusal(.tokenExpired, "the access token has an older format and may belong to an earlier session")
    }
    return session
  }

  /// A new access token for a session.
  func issueToken(session: SessionID, edition: Edition) async throws -> String {
    try await tokens.issue(
      session: session, edition: edition.name, expiresAt: madang.clock.now + madang.settings.sessions.accessLifetime)
  }
}

extension HTTPRequest {
  /// The requested operation, as method and path.
  var call: String { "\(method.rawValue) \(path ?? "")" }
}

extension Access {
  /// Whether the route acts for an account.
  var isOfAccount: Bool {
    switch self {
    case .token, .expiredToken: true
    case .publicKey, .refreshToken: false
    }
  }
}

extension CallLimits.Subject {
  /// The subject of a call without a known session.
  fileprivate static func without(_ client: ClientAddress, _ access: Access?) -> Self {
    access == .refreshToken ? .refreshes(address: client.networkHash) : .address(client.networkHash)
  }
}

/// A token as it was issued: blanks trimmed, a leading `Bearer ` tolerated; nil if nothing is left.
package func rawToken(_ text: String) -> String? {
  var token = text.hasVisibleEnds ? text : text.trimmingWhitespace()
  if token.hasPrefix("Bearer ") { token = token.dropFirst(7).trimmingWhitespace() }
  return token.isEmpty ? nil : token
}

extension String {
  /// Whether first and last byte are visible ASCII, so that trimming is not needed. This is true for nearly all tokens, and
  /// splitting text into characters costs many times as much.
  fileprivate var hasVisibleEnds: Bool {
    let visible: ClosedRange<UInt8> = 0x21...0x7E
    guard let first = utf8.first, let last = utf8.last else { return true }
    return visible.contains(first) && visible.contains(last)
  }
}
