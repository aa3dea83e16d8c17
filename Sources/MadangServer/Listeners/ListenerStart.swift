import Synchronization

/// The start of a listener: tasks can wait until it accepts connections.
package final class ListenerStart: Sendable {
  private struct State {
    var outcome: Result<Int, any Error>?
    var waiting: [CheckedContinuation<Int, any Error>] = []
  }

  private let state = Mutex(State())

  package init() {}

  package func began(_ port: Int) { settle(.success(port)) }

  package func failed(_ error: any Error) { settle(.failure(error)) }

  /// Keeps the first outcome, and resumes the tasks that wait for it. Later outcomes are ignored.
  private func settle(_ outcome: Result<Int, any Error>) {
    let waiting = state.withLock { state in
      guard state.outcome == nil else { return [CheckedContinuation<Int, any Error>]() }
      state.outcome = outcome
      defer { state.waiting = [] }
      return state.waiting
    }
    for one in waiting { one.resume(with: outcome) }
  }

  /// Whether it accepts connections now.
  var hasBegun: Bool {
    if case .success = state.withLock({ $0.outcome }) { true } else { false }
  }

  /// The listener's port, as soon as it accepts connections. Throws the listener's error if it failed.
  package var port: Int {
    get async throws {
      try await withCheckedThrowingContinuation { continuation in
        let outcome = state.withLock { state in
          if state.outcome == nil { state.waiting.append(continuation) }
          return state.outcome
        }
        if let outcome { continuation.resume(with: outcome) }
      }
    }
  }
}
