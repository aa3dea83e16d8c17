import Synchronization

/// Limits the log lines that clients may cause.
public final class LogBudget: Sendable {
  private struct State {
    var began: Milliseconds = .min
    var lines = 0
    var leftOut = 0
  }

  private static let window: Milliseconds = 60_000
  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: Lines per minute.
  public init(limit: Int) { self.limit = limit }

  /// Takes one of this minute's lines. Returns how many were left out since the last one, or `nil` if the limit is reached.
  public func take(at now: Milliseconds) -> Int? {
    state.withLock { state in
      if state.began == .min || now - state.began >= Self.window {
        state.began = now
        state.lines = 0
      }
      guard state.lines < limit else {
        state.leftOut += 1
        return nil
      }
      state.lines += 1
      defer { state.leftOut = 0 }
      return state.leftOut
    }
  }
}
