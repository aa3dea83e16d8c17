/// The statements of several writes that go step by step, run together.
struct StepsTogether {
  /// What the statements of a write have come to so far.
  struct Taken {
    /// What is left to do, or why the write fails.
    var rest: Result<Steps<@Sendable () -> Void>, any Error>
    var hasChanged = false

    /// The statement that is next, if there is one.
    fileprivate var statement: SQL? {
      guard case .success(.statement(let sql, _)) = rest else { return nil }
      return sql
    }

    fileprivate mutating func take(_ answer: StatementAnswer) {
      guard case .success(.statement(_, let next)) = rest else { return }
      rest = Result { try next(answer.rows) }
      if answer.hasChanged { hasChanged = true }
    }
  }

  let connection: any Connection

  /// Takes all steps but the bodies. What heeds a stop goes no further once writes are known to be stopped. Throws if a statement fails, whosever
  /// it is.
  func take(_ works: some Collection<PendingWork>) throws(EngineFailure) -> [Taken] {
    var all = works.map { Taken(rest: .success($0.steps)) }
    while true {
      var (asking, statements) = ([Int](), [SQL]())
      for (index, work) in works.enumerated() where !(work.heedsStop && connection.isStopped) {
        guard let sql = all[index].statement else { continue }
        do {
          try sql.refuseNUL()
          asking.append(index)
          statements.append(sql)
        } catch {
          all[index].rest = .failure(error)
        }
      }
      guard !asking.isEmpty else { return all }
      for (index, answer) in zip(asking, try connection.run(statements)) { all[index].take(answer) }
    }
  }
}
