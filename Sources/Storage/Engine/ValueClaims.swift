import Synchronization

/// Tells other programs, for as long as this one has the database open, by which value it goes where all have to go by the
/// same one. On PostgreSQL only: each writer's session shares an advisory lock whose second number stands for the value.
final class ValueClaims: Sendable {
  private struct Claim {
    let value: String
    /// Whether the database still has all go by this value.
    let stands: @Sendable (Transaction) throws -> Bool
  }

  /// By name.
  private let claims = Mutex<[String: Claim]>([:])

  private static func scope(_ name: String) -> SQL {
    "hashtext('madang value of ' || CAST(\(name) AS TEXT) || ' in ' || COALESCE(current_schema(), ''))"
  }

  private static func number(_ value: String) -> SQL { "hashtext(CAST(\(value) AS TEXT))" }

  /// Waits until no transaction of any program is in here, and stays until this one's end.
  func enter(_ name: String, in transaction: Transaction) throws {
    try transaction.execute("SELECT pg_advisory_xact_lock(\(sql: Self.scope(name)))")
  }

  /// Whether a program goes by another value, or by any if this one is nil.
  func isContested(_ value: String?, for name: String, in transaction: Transaction) throws -> Bool {
    let others: SQL = value.map { "AND objid <> CAST(\(sql: Self.number($0)) AS oid)" } ?? ""
    let found = try transaction.first(
      """
      SELECT 1 AS one FROM pg_locks
      WHERE locktype = 'advisory' AND objsubid = 2 AND granted
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND classid = CAST(\(sql: Self.scope(name)) AS oid) \(sql: others)
      LIMIT 1
      """
    ) { _ in true }
    return found ?? false
  }

  func take(
    _ value: String, for name: String, in transaction: Transaction,
    while stands: @escaping @Sendable (Transaction) throws -> Bool
  ) throws {
    try share(value, for: name, in: transaction)
    claims.withLock { $0[name] = Claim(value: value, stands: stands) }
  }

  /// Takes the claims for another session, unless all have to go by another value by now: nobody was there to say that this
  /// program goes by the former one while its connections were lost.
  func renew(in transaction: Transaction) throws {
    for (name, claim) in claims.withLock(\.self) {
      try share(claim.value, for: name, in: transaction)
      guard try claim.stands(transaction) else {
        throw StorageError(.other, "the \(name) of the database is another one by now; start this program again")
      }
    }
  }

  private func share(_ value: String, for name: String, in transaction: Transaction) throws {
    try transaction.execute("SELECT pg_advisory_lock_shared(\(sql: Self.scope(name)), \(sql: Self.number(value)))")
  }
}

extension Database {
  /// Runs a write with which this program begins to go by `value` where all programs of the database have to go by the same
  /// one: others are told so until `close`. With nil it only asks. Such writes of one name run one after the other.
  ///
  /// The body is told whether another program goes by another value, or by any if `value` is nil; that it may end is waited
  /// for, two seconds at most. A program whose connection was cut counts until PostgreSQL notices. What the body throws
  /// claims nothing. On SQLite nobody is told, and it is false: who has to be alone there needs a ``FileLock``. Throws as
  /// `write` does.
  ///
  /// It is not refused while writes are stopped.
  ///
  /// - Parameter stands: Whether what the body answered still holds. It is asked whenever a connection is opened; if it does
  ///   not, none is, and writes fail as if there were no database.
  package func write<Success: Sendable>(
    goingBy value: String?, for name: String,
    while stands: @escaping @Sendable (Transaction, Success) throws -> Bool = { _, _ in true },
    _ body: @escaping @Sendable (_ transaction: Transaction, _ isContested: Bool) throws -> Success
  ) async throws -> Success {
    guard dialect == .postgres else { return try await write(heedsStop: false) { try body($0, false) } }
    let end = ContinuousClock.now + .seconds(2)
    while true {
      let isLast = ContinuousClock.now >= end
      let success = try await write(heedsStop: false) { [claims = source.values] transaction -> Success? in
        try claims.enter(name, in: transaction)
        let isContested = try claims.isContested(value, for: name, in: transaction)
        // The sessions of a program that has just ended are gone some milliseconds later.
        guard !isContested || isLast else { return nil }
        let success = try body(transaction, isContested)
        if let value { try claims.take(value, for: name, in: transaction) { try stands($0, success) } }
        return success
      }
      if let success { return success }
      try await Task.sleep(for: .milliseconds(50))
    }
  }
}
