/// Runs the statements of several writes together, step by step.
struct PipelinedSteps {
  /// How far a write has come.
  struct Progress {
    /// What is left to do, or why the write fails.
    var rest: Result<Steps<@Sendable () -> Void>, any Error>
    var hasChanged = false

    /// The statement that is next, if there is one.
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

  /// Runs all steps but the bodies. What heeds a stop goes no further once writes are known to be stopped. Throws if a statement of any of the
  /// writes fails.
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
