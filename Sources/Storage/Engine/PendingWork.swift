/// Work that waits for a connection, and the task that waits for the result. It is a class because it is passed on often, and copying its
/// closures is expensive.
final class PendingWork: Sendable {
  /// The key of a write, if it has one.
  let key: Int64?
  /// Whether the write fails while writes are stopped.
  let heedsStop: Bool
  /// Marks the work as started. False when no task waits for it any longer. Called again when a batch is retried.
  let start: @Sendable () -> Bool
  let isAbandoned: @Sendable () -> Bool
  /// The steps return a closure that delivers the value, to be called after COMMIT.
  let steps: Steps<@Sendable () -> Void>
  let fail: @Sendable (any Error) -> Void
  let queuedAt = ContinuousClock.now

  init<Success: Sendable>(
    _ ticket: Ticket<Success>, key: Int64?, heedsStop: Bool = false, _ steps: Steps<Success>
  ) {
    self.key = key
    self.heedsStop = heedsStop
    start = { ticket.start() }
    isAbandoned = { ticket.isDone }
    self.steps = steps.map { value in { ticket.finish(.success(value)) } }
    fail = { ticket.finish(.failure($0)) }
  }

  convenience init<Success: Sendable>(
    _ ticket: Ticket<Success>, key: Int64?, heedsStop: Bool = false,
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) {
    self.init(ticket, key: key, heedsStop: heedsStop, .body(body))
  }

  func hasWaited(longerThan limit: Duration) -> Bool { queuedAt <= .now - limit }

  /// Runs the steps once in an open transaction. A failed statement counts as failure even if the body ignored it.
  /// - Parameter progress: The state after the steps that already ran.
  func attempt(on connection: any Connection, after progress: PipelinedSteps.Progress? = nil) -> Attempt {
    let transaction = Transaction(connection)
    defer { transaction.end() }
    do {
      let deliver = try transaction.run(progress?.rest.get() ?? steps)
      if let failure = transaction.failure { throw failure }
      let actions = transaction.actions
      let deliverAll: @Sendable () -> Void = {
        for action in actions { action() }
        deliver()
      }
      return .done(deliverAll, lastly: transaction.lastSteps)
    } catch {
      return .failed(error, cause: transaction.failure)
    }
  }

  enum Attempt {
    case done(@Sendable () -> Void, lastly: [LastStep])
    /// `cause` is the failure of the statement, also if the body threw another error because of it.
    case failed(any Error, cause: StorageError?)
  }
}
