/// Work that waits for its turn on a connection, and the task that waits for it. A class: it goes through several hands, and a
/// copy of its closures costs much.
final class PendingWork: Sendable {
  /// What it is about, if it is a write with a key.
  let key: Int64?
  /// Whether it is refused while writes are stopped.
  let heedsStop: Bool
  /// False when nobody waits any more. It may be asked again when a batch is retried.
  let start: @Sendable () -> Bool
  let isAbandoned: @Sendable () -> Bool
  /// Their result is the way to hand the value over, once that may be done.
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

  /// One run of the steps in a transaction that is open. The failure of a statement counts even if the body swallowed it.
  /// - Parameter progress: How far it has come if some steps were run before.
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
    /// `cause` is the failed statement, whatever error the body made of it.
    case failed(any Error, cause: StorageError?)
  }
}
