import Hummingbird
import Synchronization

/// Calls about a server that is to be removed: whatever they wait for, they end with it.
final class CallsToEnd: Sendable {
  private typealias Answering = Task<Response?, any Error>

  private struct State {
    var calls: [Int: Answering] = [:]
    var last = 0
    var reason: WorldError?
  }

  private let state = Mutex(State())

  /// Has a call answered. Throws the reason if the end comes before the answer.
  func run(_ body: @escaping @Sendable () async throws -> Response?) async throws -> Response? {
    let begun: Result<(Int, Answering), WorldError> = state.withLock { state in
      if let reason = state.reason { return .failure(reason) }
      state.last += 1
      let call = Task { try await body() }
      state.calls[state.last] = call
      return .success((state.last, call))
    }
    let (id, call) = try begun.get()
    defer { state.withLock { $0.calls[id] = nil } }
    let outcome = await withTaskCancellationHandler {
      await call.result
    } onCancel: {
      call.cancel()
    }
    if let reason = state.withLock(\.reason) { throw reason }
    return try outcome.get()
  }

  /// Returns when all are over.
  func end(because reason: WorldError) async {
    let calls = state.withLock { state in
      state.reason = reason
      return state.calls.values.map(\.self)
    }
    for call in calls { call.cancel() }
    for call in calls { _ = await call.result }
  }
}
