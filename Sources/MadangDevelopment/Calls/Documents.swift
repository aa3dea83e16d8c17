import Storage
import Synchronization

/// Reads seeds and scripts that calls send, on a thread of its own: reading a long one takes seconds, and would keep a thread from other
/// calls.
package final class Documents: Sendable {
  /// For all servers of the process.
  static let shared = Documents()

  private let workers: WorkerPool
  private let maxBytes: Int
  /// The bytes of the long documents whose calls are under way.
  private let bytes = Mutex(0)
  /// The bytes of the longest document that is not long: for these the limit of their number is enough.
  private static let short = 1 << 20
  private static let tooMany = BadCall("too many seeds and scripts are waiting to be read; try again later")

  /// - Parameters:
  ///   - limit: How many documents may wait.
  ///   - maxBytes: How many bytes the long ones of calls that are under way may have.
  init(limit: Int = 256, maxBytes: Int = 4 * DevelopmentCall.maxLongBody) {
    workers = WorkerPool(name: "documents", threads: 1, queueLimit: limit)
    self.maxBytes = maxBytes
  }

  /// How many documents wait.
  var waiting: Int { workers.waiting }

  /// Runs all of a call that sends a document: its text and its parts need memory until the call ends.
  /// - Parameter size: The bytes of the document.
  /// - Throws: The error of `body`; ``BadCall`` if the documents of calls that are under way are too large.
  func holding<Value>(
    _ size: Int, isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws -> Value {
    let size = size > Self.short ? size : 0
    let fits = bytes.withLock { bytes in
      guard bytes + size <= maxBytes else { return false }
      bytes += size
      return true
    }
    guard fits else { throw Self.tooMany }
    defer { bytes.withLock { $0 -= size } }
    return try await body()
  }

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
      throw Self.tooMany
    }
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }
}
