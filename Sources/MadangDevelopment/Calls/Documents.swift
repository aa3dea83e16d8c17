import Storage
import Synchronization

/// Reads seeds and scripts that calls send, on a thread of its own: reading a long one takes seconds, and would keep a thread from other
/// calls.
package final class Documents: Sendable {
  /// For all servers of the process.
  static let shared = Documents()

  private let workers: WorkerPool
  private let maxBytes: Int
  /// The bytes of the long documents that wait or are being read.
  private let bytes = Mutex(0)
  /// The bytes of the longest document that is not long: for these the limit of their number is enough.
  private static let short = 1 << 20

  /// - Parameters:
  ///   - limit: How many documents may wait.
  ///   - maxBytes: How many bytes the long ones and the one being read may have.
  init(limit: Int = 256, maxBytes: Int = 4 * DevelopmentCall.maxDocument) {
    workers = WorkerPool(name: "documents", threads: 1, queueLimit: limit)
    self.maxBytes = maxBytes
  }

  /// How many documents wait.
  var waiting: Int { workers.waiting }

  /// Runs `body`, one at a time. `body` gets a function that tells whether the calling task was cancelled.
  /// - Parameter size: The bytes of the document. What the caller holds before and after the reading is not counted.
  /// - Throws: The error of `body`; ``BadCall`` if too many documents wait, or too large ones.
  func read<Value: Sendable>(
    of size: Int = 0, _ body: @escaping @Sendable (_ isCancelled: @escaping @Sendable () -> Bool) throws -> Value
  ) async throws -> Value {
    let tooMany = BadCall("too many seeds and scripts are waiting to be read; try again later")
    let size = size > Self.short ? size : 0
    let fits = bytes.withLock { bytes in
      guard bytes + size <= maxBytes else { return false }
      bytes += size
      return true
    }
    guard fits else { throw tooMany }
    defer { bytes.withLock { $0 -= size } }
    let flag = Flag()
    do {
      return try await withTaskCancellationHandler {
        try await workers.run { try body { flag.isSet.load(ordering: .relaxed) } }
      } onCancel: {
        flag.isSet.store(true, ordering: .relaxed)
      }
    } catch let error as StorageError where error.code == .overloaded {
      throw tooMany
    }
  }

  private final class Flag: Sendable {
    let isSet = Atomic(false)
  }
}
