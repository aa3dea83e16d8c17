import MadangAPI

/// The tokens of one account, with one renewal at a time.
actor Session {
  private let store: SessionStore
  private let http: Transport
  private var loaded = false
  private var tokens: Edition2024_10.Tokens?
  private var renewal: Task<Edition2024_10.Tokens, any Error>?

  init(store: SessionStore, http: Transport) {
    self.store = store
    self.http = http
  }

  var isSignedIn: Bool {
    get async { (try? await current()) != nil }
  }

  /// - Throws: ``MadangError/signedOut`` without a session.
  func current() async throws -> Edition2024_10.Tokens {
    if !loaded {
      let stored = try await store.load()
      // Another caller may have loaded the tokens, or signed in, while this one waited.
      if !loaded {
        tokens = stored
        loaded = true
      }
    }
    guard let tokens else { throw MadangError.signedOut }
    return tokens
  }

  func signedIn(_ new: Edition2024_10.Tokens) async throws {
    loaded = true
    tokens = new
    try await store.save(new)
  }

  func signedOut() async throws {
    loaded = true
    tokens = nil
    try await store.save(nil)
  }

  /// The server reported `access` as revoked or unknown. A newer token stays.
  func refused(access: String) async throws {
    if tokens?.accessToken == access { try await signedOut() }
  }

  /// Returns tokens newer than `expired`. All callers during a renewal share its result.
  /// - Throws: ``MadangError/refused(_:status:reason:)`` with the server's code. Unless the failure is temporary, the session is over.
  func renewed(after expired: String) async throws -> Edition2024_10.Tokens {
    let old = try await current()
    if old.accessToken != expired { return old }
    if let renewal { return try await renewal.value }
    // Unstructured, because all waiting callers share its result: one caller's cancellation must not end it.
    let task = Task { try await self.renew(old) }
    renewal = task
    defer { renewal = nil }
    return try await task.value
  }

  private func renew(_ old: Edition2024_10.Tokens) async throws -> Edition2024_10.Tokens {
    do {
      let call = Call(
        Edition2024_10.refresh, Edition2024_10.refresh.path(), headers: [(HeaderName.refreshToken, old.refreshToken)])
      let answer = try await http.answer(to: call, token: old.accessToken)
      let new = Edition2024_10.Tokens(accessToken: answer.accessToken, refreshToken: old.refreshToken)
      guard tokens == old else { return try await current() }
      try await signedIn(new)
      return new
    } catch let error as MadangError {
      if let code = error.code, [.badToken, .refreshExpired, .noAccount].contains(code), tokens == old {
        try await signedOut()
      }
      throw error
    }
  }
}
