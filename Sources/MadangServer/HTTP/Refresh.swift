import Hummingbird
import MadangAPI
import MadangCore

extension Service {
  /// A new access token for the session of a refresh token, with the checks in this order (wire contract, Refresh tokens).
  func refresh(_ call: Call) async throws -> String {
    guard let refreshToken = call.request.headers[.refreshToken]?.trimmingWhitespace(), !refreshToken.isEmpty else {
      throw Refusal(.badToken, "RefreshToken: is missing or empty")
    }
    let edition = call.edition
    let session = try await refreshSession(refreshToken, edition)
    var shown: AccessTokens.Claims?
    if let token = callers.token(of: call.request), let claims = await callers.tokens.claims(of: token),
      claims.isOf(session.id)
    {
      shown = claims
    }
    let isValid = shown.map { $0.expiresAt > madang.clock.now }
    try limits.calls.countRefresh(of: session.id.number, showingExpiredToken: isValid == false)
    if isValid == true && edition.refusesEarlyRefresh && !limits.calls.takeEarlyRefresh(of: session.id.number) {
      throw Refusal(.stillValid, "Authorization: the access token of this session is still valid")
    }
    // A refused refresh writes nothing.
    try await madang.noteRefresh(of: session.id)
    call.outcome.session = .live(session.id)
    if let user = session.user { callers.recent.saw(user, at: call.client, always: true) }
    return try await callers.issueToken(session: session.id, edition: edition)
  }

  /// The session to refresh; counts refusals.
  private func refreshSession(_ refreshToken: String, _ edition: Edition) async throws -> RefreshableSession {
    let session: RefreshableSession
    do {
      session = try await madang.session(refreshToken: refreshToken, edition: edition.name)
    } catch let failure as Failure where failure.code == .noSuchSession {
      try limits.calls.count(.refreshWithUnknownToken(KeyHash(refreshToken)))
      throw failure
    }
    do {
      try madang.requireRefreshable(session)
    } catch let failure as Failure where failure.code == .refreshExpired {
      try limits.calls.count(.refreshWithExpiredToken(session: session.id.number))
      throw failure
    }
    return session
  }
}
