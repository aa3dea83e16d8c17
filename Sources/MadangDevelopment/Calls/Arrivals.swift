import Synchronization

/// Lets callers wait for something that arrives.
final class Arrivals: Sendable {
  private struct State {
    var waiting: [Int: AsyncStream<Void>.Continuation] = [:]
    var last = 0
  }

  private let state = Mutex(State())

  /// Whether a caller waits.
  var isAwaited: Bool { state.withLock { !$0.waiting.isEmpty } }

  /// Something has arrived: waiting callers look again.
  func arrived() {
    for one in state.withLock({ Array($0.waiting.values) }) { one.yield() }
  }

  /// Runs `body` with an iterator, which continues after each arrival and ends when the time is over.
  func waiting<Value>(
    for time: Duration, _ body: (inout AsyncStream<Void>.Iterator) async throws -> Value
  ) async rethrows -> Value {
    let (news, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    let id = state.withLock { state in
      state.last += 1
      state.waiting[state.last] = continuation
      return state.last
    }
    let end = Task {
      try? await Task.sleep(for: time)
      continuation.finish()
    }
    defer {
      end.cancel()
      state.withLock { $0.waiting[id] = nil }
    }
    var iterator = news.makeAsyncIterator()
    return try await body(&iterator)
  }

  /// The elements of a list, as soon as there are enough or the time is over.
  /// - Parameter pause: The least time between an arrival and the next look, for lists that are costly while much arrives.
  func list<Element>(
    of count: Int, within time: Duration, pause: Duration = .zero, _ list: () async throws -> [Element]
  ) async rethrows -> [Element] {
    guard time > .zero else { return try await list() }
    return try await waiting(for: time) { iterator in
      while true {
        let found = try await list()
        guard found.count < count, !Task.isCancelled, await iterator.next() != nil else { return found }
        if pause > .zero { try? await Task.sleep(for: pause) }
      }
    }
  }
}
