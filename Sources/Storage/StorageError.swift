/// What went wrong in the engine. Everything a caller may act on is in `code`; the rest is for the log.
package struct StorageError: Error, Sendable {
  package enum Code: Sendable, Hashable {
    /// A value that must be unique is there already.
    case unique
    case foreignKey
    case check
    case notNull
    /// Lost against a concurrent transaction or a lock, more often than the configured retries allow.
    case serialization
    /// The connection broke or stayed broken too long, or the operation waited too long for its turn. Nothing was
    /// committed.
    case connectionLost
    /// The connection broke when COMMIT was on its way, or the answer takes too long: the write is there as a whole or not
    /// at all, or will be, and only a look at the data can tell.
    case outcomeUnknown
    /// More operations are waiting than the configured limit. Nothing was done.
    case overloaded
    /// The statement took longer than the configured time.
    case timeout
    case syntax
    case decoding
    /// Text that one of the engines cannot hold: it contains NUL.
    case encoding
    case diskFull
    case readOnly
    /// The file of the database was exchanged or written over while it was open. Nothing was done.
    case exchanged
    /// The file of the database is damaged.
    case damaged
    /// Writes are stopped for now. Nothing was done.
    case writesStopped
    /// The database was migrated by a newer program, beyond what this one can work with.
    case newerSchema
    /// A migration that ran before has a different text now.
    case changedMigration
    /// A migration that older programs cannot bear is due, and one of them uses the database.
    case olderProgram
    /// The database or pool has been closed.
    case closed
    case other
  }

  package let code: Code
  /// What was violated, as the engine tells it: PostgreSQL the constraint's name, SQLite the columns (`users.email`).
  package let constraint: String?
  package let message: String
  /// What an operator can do about it, where that is known; nil where only the caller may know.
  package let cure: String?
  package internal(set) var sql: String?

  package init(
    _ code: Code, _ message: String, cure: String? = nil, constraint: String? = nil, sql: String? = nil
  ) {
    self.cure = cure
    self.code = code
    self.message = message
    self.constraint = constraint
    self.sql = sql
  }
}

/// Without detail on purpose: descriptions end up in replies, and messages of engines quote people's data.
extension StorageError: CustomStringConvertible, CustomDebugStringConvertible {
  package var description: String { "StorageError" }

  package var debugDescription: String {
    var text = "StorageError(\(code)): \(message)"
    if let constraint { text += " [\(constraint)]" }
    if let sql { text += " in: \(sql)" }
    return text
  }
}
