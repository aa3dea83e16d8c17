import Synchronization

/// One task's wait for the result of work on a thread.
///
/// The continuation is unchecked, which is cheaper: the code that takes it out of `state` must resume it.
final class Ticket<Success: Sendable>: Sendable {
  private enum State {
    case new
    case waiting(UnsafeContinuation<Success, any Error>)
    case started(UnsafeContinuation<Success, any Error>)
    case done
  }

  private let state = Mutex(State.new)

  deinit { assert(isDone, "work was dropped that a caller waits for") }

  /// Queues work for a thread by `put`, and waits. Cancellation has an effect only until the work starts.
  nonisolated(nonsending) static func wait(_ put: (Ticket) throws -> Void) async throws -> Success {
    let ticket = Ticket()
    return try await withTaskCancellationHandler {
      try await withUnsafeThrowingContinuation { continuation in
        guard ticket.arm(continuation) else { return continuation.resume(throwing: CancellationError()) }
        do {
          try put(ticket)
        } catch {
          ticket.finish(.failure(error))
        }
      }
    } onCancel: {
      ticket.cancel()
    }
  }

  /// Marks the work as started. False if no task waits for it any longer.
  func start() -> Bool {
    state.withLock { state in
      switch state {
      case .waiting(let continuation):
        state = .started(continuation)
        return true
      case .started: return true
      case .new, .done: return false
      }
    }
  }

  var isDone: Bool {
    state.withLock { if case .done = $0 { true } else { false } }
  }

  func finish(_ result: Result<Success, any Error>) {
    let continuation = state.withLock { state -> UnsafeContinuation<Success, any Error>? in
      defer { state = .done }
      switch state {
      case .waiting(let continuation), .started(let continuation): return continuation
      case .new, .done: return nil
      }
    }
    continuation?.resume(with: result)
  }

  private func arm(_ continuation: UnsafeContinuation<Success, any Error>) -> Bool {
    state.withLock { state in
      guard case .new = state else { return false }
      state = .waiting(continuation)
      return true
    }
  }

  private func cancel() {
    let continuation = state.withLock { state -> UnsafeContinuation<Success, any Error>? in
      switch state {
      case .new:
        state = .done
        return nil
      case .waiting(let continuation):
        state = .done
        return continuation
      case .started, .done: return nil
      }
    }
    continuation?.resume(throwing: CancellationError())
  }
}
