import DequeModule
import Synchronization

/// Runs the bodies of several writes on the calling thread, in turns: each until it awaits a statement. Then these statements go to the
/// engine together, and the bodies continue with the answers.
///
/// Statements travel together if they are awaited at one place in the code, that of the first waiting write; writes at other places wait
/// until that one has come there or has ended. So writes of one key keep their order, and writes of different keys change rows in the order
/// of their keys, as `Worker` has sorted them: batches of two processes cannot wait for each other.
final class PipelinedBodies: TaskExecutor {
  /// One of the bodies.
  struct Member {
    fileprivate let bodies: PipelinedBodies
    fileprivate let index: Int
    fileprivate let key: Int64?

    /// For this body: waits for the answer to a statement. If a statement fails, all that were sent together with it throw its
    /// `EngineFailure`.
    nonisolated(nonsending) func answer(to sql: SQL, awaitedAt place: CodePlace) async throws -> StatementAnswer {
      try await withUnsafeThrowingContinuation { continuation in
        let question = Question(sql: sql, index: index, key: key, place: place, answer: continuation)
        bodies.state.withLock { $0.waiting.append(question) }
      }
    }
  }

  fileprivate struct Question {
    let sql: SQL
    /// The index of the write.
    let index: Int
    let key: Int64?
    let place: CodePlace
    let answer: UnsafeContinuation<StatementAnswer, any Error>
  }

  private struct State {
    /// Bodies that can continue.
    var ready: Deque<UnownedJob> = []
    /// Bodies that await a statement.
    var waiting: [Question] = []
    /// Bodies that have ended, by the index of their write.
    var attempts: [Int: Attempt] = [:]

    /// Takes the statements that are sent now.
    mutating func takeNext() -> [Question] {
      waiting.sort { $0.index < $1.index }
      guard let place = waiting.first?.place else { return [] }
      var (next, later, held) = ([Question](), [Question](), Set<Int64?>())
      for question in waiting {
        if question.place == place, !held.contains(question.key) {
          next.append(question)
        } else {
          held.insert(question.key)
          later.append(question)
        }
      }
      waiting = later
      return next
    }
  }

  private let state = Mutex(State())

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    state.withLock { $0.ready.append(job) }
  }

  /// Runs each write's body once, in an open transaction. Bodies may await only statements.
  func run(_ writes: some Collection<PendingWork>, on connection: any Connection) -> [Attempt] {
    let members = writes.enumerated().map { (write: $1, member: Member(bodies: self, index: $0, key: $1.key)) }
    // Used by this thread alone, which runs the tasks.
    nonisolated(unsafe) let connection = connection
    // Without round trips no body ever waits, so one task runs them all, one after the other.
    for group in connection.isRemote ? members.map({ [$0] }) : [members] {
      Task(executorPreference: self) { [self] in
        for (write, member) in group {
          let attempt = await write.attempt(in: Transaction(connection, obeysStop: !write.ignoresStop, as: member))
          state.withLock { $0.attempts[member.index] = attempt }
        }
      }
    }
    while true {
      while let job = state.withLock({ $0.ready.popFirst() }) { job.runSynchronously(on: asUnownedTaskExecutor()) }
      let questions = state.withLock { $0.takeNext() }
      guard !questions.isEmpty else { break }
      do {
        let answers = try connection.run(questions.map(\.sql))
        for (question, answer) in zip(questions, answers) { question.answer.resume(returning: answer) }
      } catch {
        for question in questions { question.answer.resume(throwing: error) }
      }
    }
    let attempts = state.withLock(\.attempts)
    return members.indices.map { index in
      guard let attempt = attempts[index] else { preconditionFailure("a body awaits something else than a statement") }
      return attempt
    }
  }
}

/// Where in the code a statement is awaited.
struct CodePlace: Equatable {
  let line: UInt
  let file: String
}
