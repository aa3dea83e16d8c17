/// Runs the statements of several writes together, step by step.
struct PipelinedSteps {
  /// The state of one write.
  struct Progress {
    /// The remaining steps, or the error of the write.
    var rest: Result<Steps<@Sendable () -> Void>, any Error>
    var hasChanged = false

    /// The next statement, if there is one.
    fileprivate var statement: SQL? {
      guard case .success(.statement(let sql, _)) = rest else { return nil }
      return sql
    }

    fileprivate mutating func advance(by answer: StatementAnswer) {
      guard case .success(.statement(_, let next)) = rest else { return }
      rest = Result { try next(answer) }
      if answer.hasChanged { hasChanged = true }
    }
  }

  let connection: any Connection

  /// Runs all statements, but not the bodies. Writes with `heedsStop` go no further once writes are known to be stopped. Throws if a
  /// statement of any write fails.
  func run(_ works: some Collection<PendingWork>) throws(EngineFailure) -> [Progress] {
    var all = works.map { Progress(rest: .success($0.steps)) }
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
      for (index, answer) in zip(asking, try connection.run(statements)) { all[index].advance(by: answer) }
    }
  }
}
