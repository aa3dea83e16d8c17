import Synchronization

/// Lets addresses take turns at reading the pages of long answers: however many answers one of them waits for, the next page of another
/// address stands behind one of each only. What is read outside of it, such as first pages, always finds readers of the database.
package final class ListTurns: Sendable {
  private struct State {
    var free: Int
    /// Those of one address in the order in which they came.
    var waiting: [KeyHash: [CheckedContinuation<Void, Never>]] = [:]
    /// Addresses that have some, the next one first.
    var turns: [KeyHash] = []
  }

  private let state: Mutex<State>

  /// - Parameter places: How many pages are read at a time.
  init(places: Int) { state = Mutex(State(free: max(1, places))) }

  /// Runs `body` when it is the turn of an address. As many wait as there are connections, which are limited by themselves.
  func run<Success: Sendable>(
    _ address: KeyHash, _ body: @Sendable () async throws -> Success
  ) async throws -> Success {
    if !beginAtOnce() { await begin(address) }
    defer { end() }
    return try await body()
  }

  /// How many pages could be read at once.
  var free: Int { state.withLock(\.free) }

  /// How many pages wait for their turn.
  var waiting: Int { state.withLock { $0.waiting.values.reduce(0) { $0 + $1.count } } }

  private func beginAtOnce() -> Bool {
    state.withLock { state in
      guard state.free > 0 else { return false }
      state.free -= 1
      return true
    }
  }

  private func begin(_ address: KeyHash) async {
    await withCheckedContinuation { continuation in
      let mayBegin = state.withLock { state in
        if state.free > 0 {
          state.free -= 1
          return true
        }
        if state.waiting[address] == nil { state.turns.append(address) }
        state.waiting[address, default: []].append(continuation)
        return false
      }
      if mayBegin { continuation.resume() }
    }
  }

  private func end() {
    let next = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard let address = state.turns.first else {
        state.free += 1
        return nil
      }
      state.turns.removeFirst()
      let next = state.waiting[address]?.removeFirst()
      if state.waiting[address]?.isEmpty ?? true {
        state.waiting[address] = nil
      } else {
        state.turns.append(address)
      }
      return next
    }
    next?.resume()
  }
}
