/// One connection to an engine, used by one thread at a time.
///
/// A driver may hold back `begin`, `savepoint` and `release` until the next statement, and report their failure there.
protocol Connection: AnyObject {
  /// What the engine says of the transaction, not what was asked for.
  var transaction: TransactionState { get }
  /// How many statements have changed something so far. One that may have done so unseen counts, too: only a
  /// `SELECT`, and a statement for rows that found none, certainly have not.
  var changes: Int { get }
  /// Whether writes are stopped, as far as this transaction has been told.
  var isStopped: Bool { get }
  /// False once the connection is of no use any more.
  var isUsable: Bool { get }

  /// Begins a transaction, and asks `stop` in it for a row, whose table is held for as long as the transaction lasts: then writes are
  /// stopped. A driver may ask with the next statement.
  func begin(_ access: Access, stop: SQL?) throws(EngineFailure)
  func savepoint() throws(EngineFailure)
  func releaseSavepoint() throws(EngineFailure)
  func rollBackToSavepoint() throws(EngineFailure)
  /// Returns when the transaction is durable. Fails with `.connectionLost` when nobody can tell whether it is, and with
  /// `.outcomeUnknown` when the answer takes too long: it may still come, and `settles` must be asked before anything else.
  func commit() throws(EngineFailure)
  /// Goes on waiting for the answer to COMMIT. True when it is there, or the connection broke.
  func settles(within limit: Duration) -> Bool
  /// Whether the server still has the session of another connection of this engine.
  func sees(_ other: any Connection) throws -> Bool
  /// Lets the statements of the transaction take any time, and wait for locks for any time.
  func liftTimeouts() throws
  /// Ends a transaction that has nothing to keep. It does not wait for an answer.
  func discard()

  /// Runs one statement and hands over its rows until `row` answers false. Answers the number of rows changed.
  /// Throws `EngineFailure` for its own errors; those of `row` pass through.
  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int
  /// Runs statements one after the other, up to the first that fails: its failure is thrown. One answer for each, in order.
  func run(_ statements: [SQL]) throws(EngineFailure) -> [StatementAnswer]
  /// Hands over all rows of a query, some fetched at a time: memory does not grow with their number.
  func stream(_ sql: SQL, _ row: (Row) throws -> Void) throws
  func script(_ text: String) throws(EngineFailure)
  /// Maintenance between transactions, for which no caller waits.
  func tidy()
  func close()
}

extension Connection {
  func begin(_ access: Access) throws(EngineFailure) { try begin(access, stop: nil) }
}

/// What a statement has answered.
package struct StatementAnswer: Sendable {
  var rows: [Row] = []
  /// How many rows it inserted, updated or deleted.
  var count = 0
  /// Whether it may have changed something.
  var hasChanged = false
}

enum TransactionState: Sendable {
  case none
  case open
  /// A statement has failed, and the engine takes no other until the transaction or a savepoint is rolled back.
  case failed
}

enum Access: Sendable {
  case read
  case write
}

/// An error of the engine itself, which ends the transaction, as opposed to one that a decoding closure threw.
struct EngineFailure: Error {
  let cause: StorageError

  init(_ cause: StorageError) {
    self.cause = cause
  }
}
