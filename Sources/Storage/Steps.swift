/// A statement and what its rows mean.
package struct Query<Answer>: Sendable {
  private let sql: SQL
  private let decode: @Sendable ([Row]) throws -> Answer

  package init(_ sql: SQL, _ decode: @escaping @Sendable ([Row]) throws -> Answer) {
    self.sql = sql
    self.decode = decode
  }

  /// A first step that asks this, and what follows from its answer.
  package func then<Success>(_ next: @escaping @Sendable (Answer) throws -> Steps<Success>) -> Steps<Success> {
    .statement(sql) { [decode] in try next(decode($0)) }
  }

  fileprivate func answer(in transaction: Transaction) throws -> Answer {
    try decode(transaction.all(sql, \.self))
  }
}

/// A write as steps: statements, each of which follows from the answer to the one before, and a body after the last of them.
///
/// Of such writes that wait together the first statements are run, in the order of the writes, then the second ones, and so on, then the
/// bodies. PostgreSQL is sent all statements of one step at once, so that many writes cost a few round trips. Between two steps of a write
/// others in its transaction may so take theirs: a step relies on nothing that was read before and that other writes change in steps.
package indirect enum Steps<Success>: Sendable {
  case statement(SQL, next: @Sendable ([Row]) throws -> Steps)
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
  package func run<Answer>(_ query: Query<Answer>) throws -> Answer { try query.answer(in: self) }

  /// Runs one step after the other.
  package func run<Success>(_ steps: Steps<Success>) throws -> Success {
    var steps = steps
    while true {
      switch steps {
      case .statement(let sql, let next): steps = try next(all(sql, \.self))
      case .body(let body): return try body(self)
      }
    }
  }
}
