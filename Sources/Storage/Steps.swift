/// A statement and a closure that decodes its answer.
package struct Statement<Answer>: Sendable {
  private let sql: SQL
  private let decode: @Sendable (StatementAnswer) throws -> Answer

  package init(_ sql: SQL, _ decode: @escaping @Sendable ([Row]) throws -> Answer) {
    self.sql = sql
    self.decode = { try decode($0.rows) }
  }

  /// - Parameter decode: Receives the number of rows that the statement inserted, updated or deleted.
  package init(counting sql: SQL, _ decode: @escaping @Sendable (Int) throws -> Answer) {
    self.sql = sql
    self.decode = { try decode($0.count) }
  }

  /// Runs this statement first, then the steps that `next` makes of its answer.
  ///
  /// `next` may run more than once, as the whole write may, so it must be harmless to repeat. An error that it throws fails this write
  /// alone.
  package func then<Success>(_ next: @escaping @Sendable (Answer) throws -> Steps<Success>) -> Steps<Success> {
    .statement(sql) { [decode] in try next(decode($0)) }
  }

  fileprivate func answer(in transaction: Transaction) throws -> Answer {
    try decode(transaction.answer(to: sql))
  }
}

/// A write as steps: statements, each made from the answer to the one before, and a body after the last of them.
///
/// When such writes wait together, all first statements run in the order of the writes, then all second ones, and so on, then the bodies.
/// PostgreSQL receives all statements of one step at once, so many writes cost only a few round trips. Therefore other writes of the batch
/// may run between two steps of one write: a step must not rely on data that an earlier step has read, if writes in steps change that data.
/// Writes whose order matters must have equally many statements. If a statement fails, the whole batch runs again, one write after the
/// other.
package indirect enum Steps<Success>: Sendable {
  /// A statement, and the steps that follow from its answer.
  case statement(SQL, next: @Sendable (StatementAnswer) throws -> Steps)
  /// The last step. It is a body as in `Database.write`.
  case body(@Sendable (Transaction) throws -> Success)

  var hasStatement: Bool {
    if case .statement = self { true } else { false }
  }

  func map<Other>(_ change: @escaping @Sendable (Success) -> Other) -> Steps<Other> {
    switch self {
    case .statement(let sql, let next): .statement(sql) { try next($0).map(change) }
    case .body(let body): .body { change(try body($0)) }
    }
  }
}

extension Transaction {
  package func run<Answer>(_ statement: Statement<Answer>) throws -> Answer { try statement.answer(in: self) }

  /// Runs the steps in order.
  package func run<Success>(_ steps: Steps<Success>) throws -> Success {
    var steps = steps
    while true {
      switch steps {
      case .statement(let sql, let next): steps = try next(answer(to: sql))
      case .body(let body): return try body(self)
      }
    }
  }
}
