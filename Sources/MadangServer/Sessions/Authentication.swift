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

  /// What a request's token stands for, as far as its route asks. Throws `E98` rather than look into the database for a
  /// caller without a session who has used up the limit that is counted for `stranger`.
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

  /// What a token stands for, if it is one of ours: an access token, or the refresh token of a known session, which counts as
  /// its access token until it expires (wire contract, Sessions and tokens). Some clients keep the one as the other.
  nonisolated(nonsending) func claims(of token: String, edition: Edition) async throws -> AccessTokens.Claims? {
    guard RefreshToken.hasForm(token) else { return await tokens.claims(of: token) }
    do {
      let session = try await madang.session(refreshToken: token, edition: edition.name)
      return .init(session: session.id, edition: edition.name, expiresAt: session.refreshExpiresAt)
    } catch let failure as Failure where failure.code == .noSuchSession {
      return nil
    }
  }

  /// Who acts with an access token (wire contract, Order of checks). Throws `E02`, `E05`, `E03` or `E98`, and `E06` for an expired refresh
  /// token: a client that keeps it as its access token signs out on that code only.
  ///
  /// Whether the session of an unexpired token lives is asked by the operation. An expired one is refused by what has become of its session
  /// and account, so these are looked up here.
  ///
  /// - Parameters:
  ///   - claims: The token's if it is one of ours.
  ///   - call: What the client asks for. Repeated with a dead token, it shows a loop.
  nonisolated(nonsending) func principal(
    _ token: String?, _ claims: AccessTokens.Claims?, address: KeyHash, _ edition: Edition, mayBeExpired: Bool,
    call: @autoclosure () -> String
  ) async throws -> Principal {
    guard let token else { throw Refusal(.badToken, "Authorization: is missing or empty") }
    guard let claims, claims.edition == edition.name else {
      try limits.count(.unknownToken(KeyHash(token), address: address))
      throw Refusal(.badToken, "Authorization: the token is unknown here")
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

  /// How long tokens of the older form lived at least, in milliseconds.
  private static let olderLifetime: Int64 = 24 * 3_600_000

  /// The session of a token of the older form, which names it by its number alone. It must be one that began before the token was
  /// issued, else its client has to refresh.
  private func olderSession(of claims: AccessTokens.Claims) async throws -> SessionID {
    let session = try await madang.session(claims.number)
    guard session.begun <= claims.expiresAt - max(settings.domain.sessions.accessLifetime, Self.olderLifetime) else {
      throw Refusal(.tokenExpired, "the access token is of an older form, and may be of an earlier session")
    }
    return session
  }

  /// A new access token for the session a refresh token belongs to (wire contract, Refresh tokens). Checks in that order.
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
    // Whoever is refused writes nothing.
    try await madang.noteRefresh(of: session)
    call.outcome.session = .live(session.id)
    if let user = session.user { recent.saw(user, at: call.client, always: true) }
    return try await issueToken(session: session.id, edition: edition)
  }

  /// The session to refresh; counts refusals.
  private func refreshSession(_ refreshToken: String, _ edition: Edition) async throws -> Session {
    let session: Session
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
  /// What it asks for.
  var call: String { "\(method.rawValue) \(path ?? "")" }
}

/// A token as it was issued: blanks trimmed, a leading `Bearer ` tolerated; nil if nothing is left.
func rawToken(_ text: String) -> String? {
  var token = text.hasVisibleEnds ? text : text.trimmingWhitespace()
  if token.hasPrefix("Bearer ") { token = token.dropFirst(7).trimmingWhitespace() }
  return token.isEmpty ? nil : token
}

extension String {
  /// Whether the first and the last byte are visible ASCII, so that nothing is to be trimmed. Nearly all tokens pass, and to split text into
  /// characters costs many times as much.
  fileprivate var hasVisibleEnds: Bool {
    let visible: ClosedRange<UInt8> = 0x21...0x7E
    guard let first = utf8.first, let last = utf8.last else { return true }
    return visible.contains(first) && visible.contains(last)
  }
}
