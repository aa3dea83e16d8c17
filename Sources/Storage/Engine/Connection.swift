/// One connection to an engine, used by one thread at a time.
///
/// A driver may defer `begin`, `savepoint` and `release` until the next statement, and report their failure there.
protocol Connection: AnyObject {
  /// Whether statements travel to a server, so that it is cheaper to send several at once.
  var isRemote: Bool { get }
  /// The state of the transaction as the engine reports it.
  var transaction: TransactionState { get }
  /// How many statements have changed data so far. A statement that may have changed data counts as well. Only a `SELECT`, and a statement
  /// on rows that matched none, never count.
  var changes: Int { get }
  /// Whether writes are stopped, as far as this transaction knows.
  var isStopped: Bool { get }
  /// False when the connection can no longer be used.
  var isUsable: Bool { get }

  /// Begins a transaction and runs the query `stop` in it, which keeps a shared lock on its table until the end of the transaction. If the
  /// query returns a row, writes are stopped. A driver may run it with the next statement.
  func begin(_ access: Access, stop: SQL?) throws(EngineFailure)
  func savepoint() throws(EngineFailure)
  func releaseSavepoint() throws(EngineFailure)
  func rollBackToSavepoint() throws(EngineFailure)
  /// Returns when the transaction is durable. Fails with `.connectionLost` when the connection breaks and the outcome is unknown. Fails
  /// with `.outcomeUnknown` when the answer takes too long: it may still arrive, and `settles` must be called before anything else.
  func commit() throws(EngineFailure)
  /// Continues to wait for the answer to COMMIT. True when it has arrived, or the connection has broken.
  func settles(within limit: Duration) -> Bool
  /// Whether the server still has the session of another connection of this engine.
  func sees(_ other: any Connection) throws -> Bool
  /// Removes the time limits for statements and for lock waits in this transaction.
  func liftTimeouts() throws
  /// Rolls back a transaction without waiting for the answer.
  func discard()

  /// Runs one statement and calls `row` for each of its rows until `row` returns false. Returns the number of changed rows. Throws
  /// `EngineFailure` for errors of the engine; errors of `row` pass through.
  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int
  /// Runs statements in order up to the first that fails, and throws its failure. Returns one answer for each statement, in order.
  func run(_ statements: [SQL]) throws(EngineFailure) -> [StatementAnswer]
  /// Calls `row` for all rows of a query and fetches them in portions, so memory does not grow with their number.
  func stream(_ sql: SQL, _ row: (Row) throws -> Void) throws
  func script(_ text: String) throws(EngineFailure)
  /// Maintenance between transactions. No caller waits for it.
  func tidy()
  func close()
}

extension Connection {
  func begin(_ access: Access) throws(EngineFailure) { try begin(access, stop: nil) }
}

/// The result of one statement.
package struct StatementAnswer: Sendable {
  package var rows: [Row] = []
  /// How many rows it inserted, updated or deleted.
  package var count = 0
  /// Whether the statement may have changed data.
  var hasChanged = false
}

enum TransactionState: Sendable {
  case none
  case open
  /// A statement has failed. The engine accepts no other until the transaction or a savepoint is rolled back.
  case failed
}

enum Access: Sendable {
  case read
  case write
}

/// An error of the engine itself, which ends the transaction, as opposed to an error of a decoding closure.
struct EngineFailure: Error {
  let cause: StorageError

  init(_ cause: StorageError) {
    self.cause = cause
  }
}
