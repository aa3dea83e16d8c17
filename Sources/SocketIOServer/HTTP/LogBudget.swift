import SocketIOProtocol
import Synchronization

/// How many lines clients may cause in the log.
package final class LogBudget: Sendable {
  private struct State {
    var began: Milliseconds = .min
    var lines = 0
    var leftOut = 0
  }

  private static let window: Milliseconds = 60_000
  private let limit: Int
  private let state = Mutex(State())

  /// - Parameter limit: Lines a minute.
  package init(limit: Int) { self.limit = limit }

  /// Takes a line of this minute's. Returns how many were left out since the last one, or `nil` if this one is, too.
  package func take(at now: Milliseconds) -> Int? {
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
