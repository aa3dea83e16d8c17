import Synchronization

/// The values that this program uses, where all programs of a database must use the same value. Other programs can see these claims as long
/// as this program has the database open.
///
/// PostgreSQL only: each writer's session holds a shared advisory lock, whose second number is the hash of the value.
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

  /// Takes the claims for a new session. Throws if the database now requires another value. That is possible because other programs could
  /// not see this program's claims while its connections were lost.
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
