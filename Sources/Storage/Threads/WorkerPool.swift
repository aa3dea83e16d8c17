/// A few threads for blocking or long work: password hashing, file access.
package final class WorkerPool: Sendable {
  private struct Work: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (StorageError) -> Void
    let isAbandoned: @Sendable () -> Bool
  }

  private let queue: TurnQueue<Work>
  private let threads: [DedicatedThread]

  /// - Parameters:
  ///   - queueLimit: If this many calls wait, `run` fails with `StorageError(.overloaded)`.
  ///   - turnLimit: The same limit for the calls of one caller; nil if callers are not distinguished.
  ///   - turnThreads: Threads that one caller may occupy at a time; one less, but at least one, while other callers are present. Nil means
  ///     all.
  ///   - isYielding: Whether the program's other threads have priority when cores are few.
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

  /// Runs the body on one of the threads. A call that is cancelled before it starts throws `CancellationError`; a call that has started
  /// completes. Throws the body's error, `.overloaded` or, after `shutdown`, `.closed`.
  ///
  /// - Parameter turn: Names the caller. Callers take turns.
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
      displaced?.refuse(StorageError(.overloaded, "callers with fewer operations went first"))
    }
  }

  /// How many calls wait for a thread.
  package var waiting: Int { queue.waiting }

  /// Refuses new calls. Waiting calls still run, then the threads end.
  package func shutdown() {
    queue.close()
  }
}
