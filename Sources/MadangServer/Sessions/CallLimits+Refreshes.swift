import MadangCore
import MadangOperations

extension CallLimits {
  /// A request came with an expired access token of a session. Throws `E98` if its client is in a loop; otherwise the
  /// answer is `E05` (wire contract, Call limits).
  /// - Parameter call: The requested operation.
  func refuseExpiredToken(of session: Int64, call: String) throws(Refusal) {
    expiredTokens.shown(by: session)
    try check(.refresh(session: session), over: settings.refreshesBeforeDeadToken)
    try check(.refreshWithExpiredToken(session: session))
    expiredTokens.answered(session, to: call)
  }

  /// Counts a refresh that is otherwise valid. Throws `E98` if it exceeds the limit.
  func countRefresh(of session: Int64, showingExpiredToken: Bool) throws(Refusal) {
    defer { expiredTokens.refreshed(session) }
    let isExcused = expiredTokens.takeExcuse(of: session, within: settings.window)
    if showingExpiredToken || isExcused {
      do { return try count(.refreshAtExpiry(session: session)) } catch {
        // More refreshes than one expiry explains: they count like others.
      }
    }
    let repeatsDeadToken = expiredTokens.wasShown(by: session, within: settings.window)
    try count(
      .refresh(session: session), upTo: repeatsDeadToken ? settings.refreshesWithDeadToken : settings.refreshes)
  }

  /// Whether a refresh may succeed while the session's access token is valid: once for each `E05` of the last seconds.
  func takeEarlyRefresh(of session: Int64) -> Bool {
    expiredTokens.takeEarlyRefresh(of: session, within: settings.expiryGrace)
  }
}
