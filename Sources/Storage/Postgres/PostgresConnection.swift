import CPostgres
import Logging

/// One connection to PostgreSQL. The commands that frame a transaction are only queued, and travel with the next
/// statement that needs an answer, so they cost no round trip.
final class PostgresConnection: Connection {
  private let pipeline: PostgresPipeline
  private(set) var isInTransaction = false

  init(url: String, _ configuration: DatabaseConfiguration, _ logger: Logger) throws(EngineFailure) {
    pipeline = try PostgresPipeline(url: url, configuration, logger)
  }

  var isUsable: Bool { pipeline.isUsable }

  func begin(_ access: Access) throws(EngineFailure) {
    try pipeline.dropGarbage()
    try pipeline.queue(access == .write ? "BEGIN" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    isInTransaction = true
  }

  func savepoint() throws(EngineFailure) { try pipeline.queue("SAVEPOINT one_write") }
  func releaseSavepoint() throws(EngineFailure) { try pipeline.queue("RELEASE SAVEPOINT one_write") }

  func rollBackToSavepoint() throws(EngineFailure) {
    try pipeline.queue("ROLLBACK TO SAVEPOINT one_write")
    try releaseSavepoint()
  }

  func commit() throws(EngineFailure) {
    isInTransaction = false
    let command = try pipeline.answer(to: "COMMIT").command
    // What PostgreSQL answers when it had to roll back instead.
    guard command == "COMMIT" else { throw EngineFailure(StorageError(.other, "COMMIT was answered with \(command)")) }
  }

  func discard() {
    guard isInTransaction else { return }
    isInTransaction = false
    // Whoever uses the connection next reads the answer, and finds out if it was lost.
    try? pipeline.dispatch("ROLLBACK")
  }

  func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int {
    let result = try pipeline.answer(to: sql)
    try result.forEachRow(row)
    return result.changes
  }

  func script(_ text: String) throws(EngineFailure) { try pipeline.script(text) }
  func close() { pipeline.close() }
}
