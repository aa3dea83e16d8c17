import Hummingbird
import Synchronization

/// Calls about a server that may be removed or stopped: all of them end with it, even while they wait.
final class CallsToEnd: Sendable {
  private typealias Answering = Task<Response?, any Error>

  private struct State {
    var calls: [Int: Answering] = [:]
    var last = 0
    var reason: WorldError?
  }

  private let state = Mutex(State())

  /// Answers a call. Throws the reason if the server ends first.
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

  /// The number of calls in progress.
  var count: Int { state.withLock(\.calls.count) }

  /// Ends all calls with a reason, unless another reason was given before. Later calls end with the same reason.
  func refuse(because reason: WorldError) { for call in refused(because: reason) { call.cancel() } }

  /// Ends all calls with a reason, and returns when they have ended.
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
