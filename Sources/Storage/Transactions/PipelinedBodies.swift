import DequeModule
import Synchronization

/// Runs the bodies of several writes on the calling thread, in turns: each until it awaits a statement. Then all these statements go to the
/// engine together, and the bodies continue with the answers, in the same order.
final class PipelinedBodies: TaskExecutor {
  private struct Question {
    let sql: SQL
    let answer: UnsafeContinuation<StatementAnswer, any Error>
  }

  private struct State {
    /// Bodies that can continue.
    var ready: Deque<UnownedJob> = []
    /// Bodies that await a statement.
    var waiting: [Question] = []
    /// Bodies that have ended, by the index of their write.
    var attempts: [Int: Attempt] = [:]
  }

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.ready.append(job) }
  }

  /// For a body: waits for the answer to a statement. If a statement fails, all that were sent together with it throw its `EngineFailure`.
  nonisolated(nonsending) func answer(to sql: SQL) async throws -> StatementAnswer {
    try await withUnsafeThrowingContinuation { continuation in
      state.withLock { $0.waiting.append(Question(sql: sql, answer: continuation)) }
    }
  }

  /// Runs each write's body once, in an open transaction. Bodies may await only ``answer(to:)``.
  func run(_ writes: some Collection<PendingWork>, on connection: any Connection) -> [Attempt] {
    for (index, write) in writes.enumerated() {
      // Used by this thread alone, which runs the task.
      nonisolated(unsafe) let transaction = Transaction(connection, obeysStop: !write.ignoresStop, in: self)
      Task(executorPreference: self) { [self] in
        let attempt = await write.attempt(in: transaction)
        state.withLock { $0.attempts[index] = attempt }
      }
    }
    while true {
      while let job = state.withLock({ $0.ready.popFirst() }) { job.runSynchronously(on: asUnownedTaskExecutor()) }
      let questions = state.withLock { state in
        defer { state.waiting = [] }
        return state.waiting
      }
      guard !questions.isEmpty else { break }
      do {
        let answers = try connection.run(questions.map(\.sql))
        for (question, answer) in zip(questions, answers) { question.answer.resume(returning: answer) }
      } catch {
        for question in questions { question.answer.resume(throwing: error) }
      }
    }
    let attempts = state.withLock(\.attempts)
    return writes.indices.enumerated().map { index, _ in
      guard let attempt = attempts[index] else { preconditionFailure("a body awaits something else than a statement") }
      return attempt
    }
  }
}
