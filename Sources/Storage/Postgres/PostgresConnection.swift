import CPostgres
import Logging

/// One connection to PostgreSQL. The commands that frame a transaction are only queued, and travel with the next
/// statement that needs an answer, so they cost no round trip.
final class PostgresConnection: Connection {
  private let pipeline: PostgresPipeline
  private(set) var changes = 0
  private var cursors = 0
  /// Rows that `stream` holds at a time.
  private static let fetchSize = 500

  init(
    url: String, access: Access, _ configuration: DatabaseConfiguration, _ logger: Logger
  ) throws(EngineFailure) {
    pipeline = try PostgresPipeline(url: url, access: access, configuration, logger)
  }

  var transaction: TransactionState { pipeline.transaction }
  var isUsable: Bool { pipeline.isUsable }

  func begin(_ access: Access) throws(EngineFailure) {
    try pipeline.dropGarbage()
    try pipeline.queue(access == .write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
  }

  func savepoint() throws(EngineFailure) { try pipeline.queue("SAVEPOINT one_write") }
  func releaseSavepoint() throws(EngineFailure) { try pipeline.queue("RELEASE SAVEPOINT one_write") }

  func rollBackToSavepoint() throws(EngineFailure) {
    try pipeline.queue("ROLLBACK TO SAVEPOINT one_write")
    try releaseSavepoint()
  }

  func commit() throws(EngineFailure) {
    let command = try pipeline.answer(to: "COMMIT").command
    // What PostgreSQL answers when it had to roll back instead.
    guard command == "COMMIT" else { throw EngineFailure(StorageError(.other, "COMMIT was answered with \(command)")) }
  }

  func discard() {
    guard transaction != .none else { return }
    // Whoever uses the connection next reads the answer, and finds out if it was lost.
    try? pipeline.dispatch("ROLLBACK")
  }

  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int {
    let result = try pipeline.answer(to: sql)
    if result.hasChanged { changes += 1 }
    try result.forEachRow(row)
    return result.changes
  }

  func stream(_ sql: SQL, _ row: (Row) throws -> Void) throws {
    cursors += 1
    // A name of its own: the server remembers what a prepared FETCH of a cursor answers.
    let cursor: SQL = "rows_\(raw: "\(cursors)")"
    _ = try pipeline.answer(to: "DECLARE \(sql: cursor) NO SCROLL CURSOR FOR \(sql: sql)")
    var count = 0
    repeat {
      count = 0
      try pipeline.answer(to: "FETCH \(raw: "\(Self.fetchSize)") FROM \(sql: cursor)").forEachRow { next in
        count += 1
        try row(next)
        return true
      }
    } while count == Self.fetchSize
    _ = try pipeline.answer(to: "CLOSE \(sql: cursor)")
  }

  func script(_ text: String) throws(EngineFailure) {
    changes += 1
    try pipeline.script(text)
  }

  func tidy() {}
  func close() { pipeline.close() }
}
