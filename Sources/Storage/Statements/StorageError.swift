/// An error of the engine. Callers act on `code`; the rest is for the log.
package struct StorageError: Error, Sendable {
  package enum Code: Sendable, Hashable {
    /// A value that must be unique exists already.
    case unique
    case foreignKey
    case check
    case notNull
    /// Lost against a concurrent transaction or a lock more often than the configured retries allow.
    case serialization
    /// The connection broke, could not be restored in time, or the operation waited too long. Nothing was committed.
    case connectionLost
    /// The connection broke during COMMIT, or the answer takes too long. The write was committed as a whole or not at all, or may still be
    /// committed; only reading the data can tell.
    case outcomeUnknown
    /// More operations wait than the configured limit. Nothing was done.
    case overloaded
    /// The statement took longer than the configured time.
    case timeout
    case syntax
    case decoding
    /// A text that one of the engines cannot store: it contains NUL.
    case encoding
    case diskFull
    case readOnly
    /// The database file was replaced or overwritten while it was open. Nothing was done.
    case exchanged
    /// The database file is damaged.
    case damaged
    /// Writes are stopped for now. Nothing was done.
    case writesStopped
    /// A newer program migrated the database, and this one cannot work with it.
    case newerSchema
    /// The text of a migration that ran before has changed.
    case changedMigration
    /// A migration that is not additive is due, and an older program uses the database.
    case olderProgram
    /// The database or pool has been closed.
    case closed
    case other
  }

  package let code: Code
  /// The violated constraint, as the engine reports it: its name on PostgreSQL, the columns on SQLite (`users.email`).
  package let constraint: String?
  package let message: String
  /// What an operator can do about it; nil if unknown.
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

/// Omits details on purpose: descriptions end up in replies, and messages of engines quote user data.
extension StorageError: CustomStringConvertible, CustomDebugStringConvertible {
  package var description: String { "StorageError" }

  package var debugDescription: String {
    var text = "StorageError(\(code)): \(message)"
    if let constraint { text += " [\(constraint)]" }
    if let sql { text += " in: \(sql)" }
    return text
  }
}
