extension Database {
  /// From now on, writes fail with `.writesStopped` while this table has a row, except those with `ignoresStop`.
  package func stopWrites(whileRowIn table: SQL) { source.stop.query = dialect.sharing(table: table) }

  /// For a write that does not obey a stop: throws `.writesStopped` if writes are stopped, and holds off a stop until this write commits.
  package func refuseIfStopped(in table: SQL, _ transaction: Transaction) throws {
    guard try transaction.first(dialect.sharing(table: table), { _ in true }) == nil else { throw WriteStop.refusal }
  }

  /// For a write that does not obey a stop: waits until no write that does is in progress, and blocks new ones until COMMIT. Throws
  /// `.serialization` if one of them does not end. The first attempts are short, because a write that hangs would make all others wait
  /// meanwhile.
  /// - Parameter began: The time of the first attempt.
  package func lockStop(
    in table: SQL, _ transaction: Transaction, triedSince began: ContinuousClock.Instant
  ) throws {
    let time: Duration = .now - began < .seconds(1) ? .milliseconds(300) : .seconds(2)
    for statement in dialect.holding(table: table, within: time) { try transaction.execute(statement) }
  }
}
