import Synchronization

/// Shows other programs, as long as this one has the database open, which value it uses where all programs must use the same one.
/// PostgreSQL only: each writer's session shares an advisory lock whose second number is the hash of the value.
final class ValueClaims: Sendable {
  private struct Claim {
    let value: String
    /// Whether the database still requires this value.
    let stands: @Sendable (Transaction) throws -> Bool
  }

  /// By name.
  private let claims = Mutex<[String: Claim]>([:])

  private static func scope(_ name: String) -> SQL {
    "hashtext('madang value of ' || CAST(\(name) AS TEXT) || ' in ' || COALESCE(current_schema(), ''))"
  }

  private static func number(_ value: String) -> SQL { "hashtext(CAST(\(value) AS TEXT))" }

  /// Waits until no transaction of any program holds this name, and holds it until this transaction ends.
  func enter(_ name: String, in transaction: Transaction) throws {
    try transaction.execute("SELECT pg_advisory_xact_lock(\(sql: Self.scope(name)))")
  }

  /// Whether another program uses a different value; with nil, whether a program uses any value.
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

  /// Takes the claims for a new session. Throws if the database requires another value by now: other programs could not see this program's
  /// claim while its connections were lost.
  func renew(in transaction: Transaction) throws {
    for (name, claim) in claims.withLock(\.self) {
      try share(claim.value, for: name, in: transaction)
      guard try claim.stands(transaction) else {
        throw StorageError(.other, "the \(name) of the database has changed; restart this program")
      }
    }
  }

  private func share(_ value: String, for name: String, in transaction: Transaction) throws {
    try transaction.execute("SELECT pg_advisory_lock_shared(\(sql: Self.scope(name)), \(sql: Self.number(value)))")
  }
}

extension Database {
  /// Runs a write after which this program uses `value`, where all programs of the database must use the same value. Other programs can see
  /// the claim until `close`. With nil it claims nothing. Such writes of one name run one after the other.
  ///
  /// `isContested` tells the body whether another program uses a different value (with nil: any value). If so, the write first waits up to
  /// two seconds for that program to end. A program whose connection was cut counts until PostgreSQL notices. If the body throws, nothing
  /// is claimed. On SQLite there are no claims and `isContested` is false; to exclude other programs there, use a ``FileLock``. Throws as
  /// `write` does.
  ///
  /// The write is not refused while writes are stopped.
  ///
  /// - Parameter stands: Whether the body's result still holds. It is called whenever a connection is opened. If it returns false, the
  ///   connection is refused, and writes fail as if there were no database.
  package func write<Success: Sendable>(
    goingBy value: String?, for name: String,
    while stands: @escaping @Sendable (Transaction, Success) throws -> Bool = { _, _ in true },
    _ body: @escaping @Sendable (_ transaction: Transaction, _ isContested: Bool) throws -> Success
  ) async throws -> Success {
    guard dialect == .postgres else { return try await write(ignoresStop: true) { try body($0, false) } }
    let end = ContinuousClock.now + .seconds(2)
    while true {
      let isLast = ContinuousClock.now >= end
      let success = try await write(ignoresStop: true) { [claims = source.values] transaction -> Success? in
        try claims.enter(name, in: transaction)
        let isContested = try claims.isContested(value, for: name, in: transaction)
        // The sessions of a program that has just ended disappear some milliseconds later.
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
