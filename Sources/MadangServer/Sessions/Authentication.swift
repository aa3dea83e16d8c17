import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations

extension Service {
  /// The token in `Authorization`: raw, blanks trimmed, a leading `Bearer ` tolerated; nil if missing or empty.
  func token(of request: Request) -> String? {
    request.headers.value(of: .authorization).flatMap(rawToken)
  }

  /// The owner of a request's token, as far as its route needs it. Callers without a session who have used up the limit for
  /// `stranger` get `E98` without a look into the database.
  nonisolated(nonsending) func claims(
    of token: String, edition: Edition, for access: Access?, or stranger: CallLimits.Subject
  ) async throws -> AccessTokens.Claims? {
    guard RefreshToken.hasForm(token) else { return await tokens.claims(of: token) }
    switch access {
    case nil, .publicKey, .refreshToken: return nil
    case .token, .expiredToken: break
    }
    try limits.check(stranger)
    return try await claims(of: token, edition: edition)
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

  /// The account of an access token (wire contract, Order of checks). Throws `E02`, `E05`, `E03` or `E98`, and `E06` for an
  /// expired refresh token: a client that stores it as its access token signs out on that code only.
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
    guard session.begun <= claims.expiresAt - max(settings.domain.sessions.accessLifetime, Self.olderLifetime) else {
      throw Refusal(.tokenExpired, "the access token has an older format and may belong to an earlier session")
    }
    return session
  }

  /// A new access token for the session of a refresh token, with the checks in this order (wire contract, Refresh tokens).
  func refresh(_ call: Call) async throws -> String {
    guard let refreshToken = call.request.headers[.refreshToken]?.trimmingWhitespace(), !refreshToken.isEmpty else {
      throw Refusal(.badToken, "RefreshToken: is missing or empty")
    }
    let edition = call.edition
    let session = try await refreshSession(refreshToken, edition)
    var shown: AccessTokens.Claims?
    if let token = token(of: call.request), let claims = await tokens.claims(of: token), claims.isOf(session.id) {
      shown = claims
    }
    let isValid = shown.map { $0.expiresAt > madang.clock.now }
    try limits.countRefresh(of: session.id.number, showingExpiredToken: isValid == false)
    if isValid == true && edition.refusesEarlyRefresh && !limits.takeEarlyRefresh(of: session.id.number) {
      throw Refusal(.stillValid, "Authorization: the access token of this session is still valid")
    }
    // A refused refresh writes nothing.
    try await madang.noteRefresh(of: session)
    call.outcome.session = .live(session.id)
    if let user = session.user { recent.saw(user, at: call.client, always: true) }
    return try await issueToken(session: session.id, edition: edition)
  }

  /// The session to refresh; counts refusals.
  private func refreshSession(_ refreshToken: String, _ edition: Edition) async throws -> RefreshableSession {
    let session: RefreshableSession
    do {
      session = try await madang.session(refreshToken: refreshToken, edition: edition.name)
    } catch let failure as Failure where failure.code == .noSuchSession {
      try limits.count(.refreshWithUnknownToken(KeyHash(refreshToken)))
      throw failure
    }
    do {
      try madang.requireRefreshable(session)
    } catch let failure as Failure where failure.code == .refreshExpired {
      try limits.count(.refreshWithExpiredToken(session: session.id.number))
      throw failure
    }
    return session
  }

  func issueToken(session: SessionID, edition: Edition) async throws -> String {
    try await tokens.issue(
      session: session, edition: edition.name, expiresAt: madang.clock.now + madang.settings.sessions.accessLifetime)
  }
}

extension HTTPRequest {
  /// The requested operation, as method and path.
  var call: String { "\(method.rawValue) \(path ?? "")" }
}

/// A token as it was issued: blanks trimmed, a leading `Bearer ` tolerated; nil if nothing is left.
func rawToken(_ text: String) -> String? {
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
