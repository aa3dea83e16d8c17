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
