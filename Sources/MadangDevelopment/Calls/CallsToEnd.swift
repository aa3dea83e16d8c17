import Hummingbird
import Synchronization

/// Calls about a server that is to be removed or to stop: whatever they wait for, they end with it.
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

  /// How many are being answered.
  var count: Int { state.withLock(\.calls.count) }

  /// Has all end for a reason, unless another one was given before. What is asked afterwards is told the same.
  func refuse(because reason: WorldError) { for call in refused(because: reason) { call.cancel() } }

  /// The same; returns when all are over.
  func end(because reason: WorldError) async {
    let calls = refused(because: reason)
    for call in calls { call.cancel() }
    for call in calls { _ = await call.result }
  }

  private func refused(because reason: WorldError) -> [Answering] {
    state.withLock { state in
      state.reason = state.reason ?? reason
      return Array(state.calls.values)
    }
  }
}
