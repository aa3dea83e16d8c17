/// Work that waits for a connection, and the task that waits for the result. It is a class because it is passed on often, and copying its
/// closures is expensive.
final class PendingWork: Sendable {
  /// Hands the result to the task that waits. To be called after COMMIT.
  typealias Delivery = @Sendable () -> Void

  enum Body: Sendable {
    case plain(@Sendable (Transaction) throws -> Delivery)
    /// A body whose awaited statements travel with those of other writes.
    case pipelined(@Sendable (sending Transaction) async throws -> Delivery)
  }

  private let body: Body
  /// The key of a write, if it has one.
  let key: Int64?
  /// Whether a write also runs while writes are stopped.
  let ignoresStop: Bool
  /// Marks the work as started. False when no task waits for it any longer. Called again when a batch is retried.
  let start: @Sendable () -> Bool
  let isAbandoned: @Sendable () -> Bool
  let fail: @Sendable (any Error) -> Void
  let queuedAt = ContinuousClock.now

  private init<Success: Sendable>(_ ticket: Ticket<Success>, key: Int64?, ignoresStop: Bool, _ body: Body) {
    (self.key, self.ignoresStop, self.body) = (key, ignoresStop, body)
    start = { ticket.start() }
    isAbandoned = { ticket.isDone }
    fail = { ticket.finish(.failure($0)) }
  }

  convenience init<Success: Sendable>(
    _ ticket: Ticket<Success>, key: Int64? = nil, ignoresStop: Bool = true,
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) {
    self.init(
      ticket, key: key, ignoresStop: ignoresStop,
      .plain { transaction in
        let value = try body(transaction)
        return { ticket.finish(.success(value)) }
      })
  }

  convenience init<Success: Sendable>(
    _ ticket: Ticket<Success>, key: Int64?, ignoresStop: Bool,
    pipelined body: @escaping @Sendable (sending Transaction) async throws -> Success
  ) {
    self.init(
      ticket, key: key, ignoresStop: ignoresStop,
      .pipelined { transaction in
        let value = try await body(transaction)
        return { ticket.finish(.success(value)) }
      })
  }

  var isPipelined: Bool {
    if case .pipelined = body { true } else { false }
  }

  func hasWaited(longerThan limit: Duration) -> Bool { queuedAt <= .now - limit }

  /// Runs the body once in an open transaction.
  func attempt(on connection: any Connection) -> Attempt {
    guard case .plain(let body) = body else { return PipelinedBodies().run([self], on: connection)[0] }
    let transaction = Transaction(connection, obeysStop: !ignoresStop)
    return Attempt(in: transaction, Result { try body(transaction) })
  }

  /// The same for ``PipelinedBodies``.
  /// - Parameter transaction: Used by one thread only.
  nonisolated(nonsending) func attempt(in transaction: Transaction) async -> Attempt {
    nonisolated(unsafe) let transaction = transaction
    do {
      switch body {
      case .plain(let body): return Attempt(in: transaction, .success(try body(transaction)))
      case .pipelined(let body): return Attempt(in: transaction, .success(try await body(transaction)))
      }
    } catch {
      return Attempt(in: transaction, .failure(error))
    }
  }
}

/// The result of running a body once.
struct Attempt: Sendable {
  let result: Result<PendingWork.Delivery, any Error>
  /// The failure of a statement, also if the body ignored it or threw another error because of it.
  let failure: StorageError?
  /// Whether data may have been changed.
  let hasChanged: Bool
  let commitSteps: [CommitStep]

  /// Ends the transaction for its body.
  init(in transaction: Transaction, _ result: Result<PendingWork.Delivery, any Error>) {
    transaction.end()
    (failure, hasChanged, commitSteps) = (transaction.failure, transaction.hasChanged, transaction.commitSteps)
    self.result = Result { [failure] in
      if transaction.isStopped { throw WriteStop.refusal }
      let deliver = try result.get()
      if let failure { throw failure }
      let actions = transaction.actions
      return {
        for action in actions { action() }
        deliver()
      }
    }
  }
}
