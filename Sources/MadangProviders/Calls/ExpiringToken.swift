/// A provider's access token, requested on demand and kept until shortly before it expires. Parallel callers share one
/// request.
actor ExpiringToken {
  struct Token: Sendable {
    let text: String
    let lifetime: Duration
  }

  private enum State {
    case none
    case valid(String, since: ContinuousClock.Instant, until: ContinuousClock.Instant)
    case renewing(Task<String, any Error>)
  }

  /// A token this close to its end is no longer used.
  private static let margin: Duration = .seconds(60)

  private let request: @Sendable () async throws -> Token
  private var state = State.none

  init(_ request: @escaping @Sendable () async throws -> Token) { self.request = request }

  /// A token that is valid for a while. Throws the error of its request.
  var text: String {
    get async throws {
      switch state {
      case .valid(let text, _, let end) where ContinuousClock.now + Self.margin < end: return text
      case .renewing(let task): return try await task.value
      case .none, .valid: return try await renew()
      }
    }
  }

  /// Discards a token that the provider has refused, so that the next caller requests another one.
  /// - Parameter age: A token that is younger than this is kept.
  func forget(_ text: String, after age: Duration = .zero) {
    if case .valid(text, let start, _) = state, ContinuousClock.now - start >= age { state = .none }
  }

  private func renew() async throws -> String {
    // Unstructured: the result belongs to all waiting callers, not only to the first one.
    let task = Task {
      let token = try await request()
      let now = ContinuousClock.now
      state = .valid(token.text, since: now, until: now + token.lifetime)
      return token.text
    }
    state = .renewing(task)
    do { return try await task.value } catch {
      state = .none
      throw error
    }
  }
}
