/// A few threads for work that blocks or takes long: password hashing, file access.
package final class WorkerPool: Sendable {
  private struct Work: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (StorageError) -> Void
    let isAbandoned: @Sendable () -> Bool
  }

  private let queue: TurnQueue<Work>
  private let threads: [DedicatedThread]

  /// - Parameters:
  ///   - queueLimit: waiting calls beyond which `run` fails with `StorageError(.overloaded)`.
  ///   - turnLimit: the same for those of one caller; nil where callers are not distinguished.
  ///   - turnThreads: how many threads one caller may have at a time, one less, but at least one, while there are others; nil for all.
  ///   - isYielding: whether the program's other threads go first when cores are few.
  package init(
    name: String, threads: Int, queueLimit: Int, turnLimit: Int? = nil, turnThreads: Int? = nil,
    isYielding: Bool = false
  ) {
    let queue = TurnQueue<Work>(
      limit: queueLimit, limitPerTurn: turnLimit ?? queueLimit, takenPerTurn: turnThreads
    ) { $0.isAbandoned() }
    self.queue = queue
    self.threads = (0..<max(1, threads)).map { index in
      DedicatedThread(name: "\(name)-\(index)", isYielding: isYielding) {
        var finished: String?
        while let (work, turn) = queue.take(finished: finished) {
          work.run()
          finished = turn
        }
      }
    }
  }

  deinit {
    queue.close()
  }

  /// Runs the body on one of the threads. A call that is cancelled before it starts throws `CancellationError`; once
  /// started it completes. Throws what the body throws, `.overloaded` or, after `shutdown`, `.closed`.
  ///
  /// - Parameter turn: Names the caller: callers take turns at the threads.
  package func run<Success: Sendable>(turn: String = "", _ body: @escaping @Sendable () throws -> Success) async throws
    -> Success
  {
    try await Ticket.wait { [queue] ticket in
      let displaced = try queue.put(
        Work(
          run: {
            guard ticket.start() else { return }
            ticket.finish(Result { try body() })
          }, refuse: { ticket.finish(.failure($0)) }, isAbandoned: { ticket.isDone }), turn: turn)
      displaced?.refuse(StorageError(.overloaded, "others with fewer operations went first"))
    }
  }

  /// How many calls wait for a thread.
  package var waiting: Int { queue.waiting }

  /// Takes no more calls; those that wait are still done, then the threads end.
  package func shutdown() {
    queue.close()
  }
}
