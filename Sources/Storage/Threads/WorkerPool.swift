/// A few threads for work that blocks or takes long: password hashing, file access.
package final class WorkerPool: Sendable {
  private struct Work: Sendable {
    let run: @Sendable () -> Void
    let isAbandoned: @Sendable () -> Bool
  }

  private let queue: BlockingQueue<Work>
  private let threads: [DedicatedThread]

  /// - Parameter queueLimit: waiting calls beyond which `run` fails with `StorageError(.overloaded)`.
  package init(name: String, threads: Int, queueLimit: Int) {
    let queue = BlockingQueue<Work>(limit: queueLimit) { $0.isAbandoned() }
    self.queue = queue
    self.threads = (0..<max(1, threads)).map { index in
      DedicatedThread(name: "\(name)-\(index)") {
        while let work = queue.take(upTo: 1) { work.first?.run() }
      }
    }
  }

  deinit {
    queue.close()
  }

  /// Runs the body on one of the threads. A call that is cancelled before it starts throws `CancellationError`; once
  /// started it completes. Throws what the body throws, `.overloaded` or, after `shutdown`, `.closed`.
  package func run<Success: Sendable>(_ body: @escaping @Sendable () throws -> Success) async throws -> Success {
    try await Ticket.wait(in: queue) { ticket in
      Work(
        run: {
          guard ticket.start() else { return }
          ticket.finish(Result { try body() })
        }, isAbandoned: { ticket.isDone })
    }
  }

  /// Takes no more calls; those that wait are still done, then the threads end.
  package func shutdown() {
    queue.close()
  }
}
