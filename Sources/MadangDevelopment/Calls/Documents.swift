import Storage
import Synchronization

/// Reads seeds and scripts that calls send, on a thread of its own: reading a long one takes seconds, and would keep a thread from other
/// calls.
package final class Documents: Sendable {
  /// For all servers of the process.
  static let shared = Documents()

  private let workers: WorkerPool

  /// - Parameter limit: How many documents may wait.
  init(limit: Int = 256) { workers = WorkerPool(name: "documents", threads: 1, queueLimit: limit) }

  /// How many documents wait.
  var waiting: Int { workers.waiting }

  /// Runs `body`, one at a time. `body` gets a function that tells whether the calling task was cancelled.
  /// - Throws: The error of `body`; ``BadCall`` if too many documents wait.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    let flag = Flag()
    do {
      return try await withTaskCancellationHandler {
        try await workers.run { try body { flag.isSet.load(ordering: .relaxed) } }
      } onCancel: {
        flag.isSet.store(true, ordering: .relaxed)
      }
    } catch let error as StorageError where error.code == .overloaded {
      throw BadCall("too many seeds and scripts are waiting to be read; try again later")
    }
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }
}
