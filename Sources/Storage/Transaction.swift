/// What the body of `Database.write` or `Database.read` works with. It is valid only inside that body.
///
/// Once a statement has failed the transaction is lost: every further statement throws the same error, and the write
/// is rolled back even if its body returns normally. PostgreSQL imposes this; SQLite is held to it, so that both behave
/// alike. To go on after a conflict, let the statement avoid it (`ON CONFLICT DO NOTHING`).
package final class Transaction {
  private let connection: any Connection
  private var isOpen = true
  private(set) var failure: StorageError?
  private(set) var actions: [@Sendable () -> Void] = []
  private(set) var lastSteps: [LastStep] = []

  init(_ connection: any Connection) {
    self.connection = connection
  }

  /// Every row of the result, decoded.
  package func all<Element>(_ sql: SQL, _ decode: (Row) throws -> Element) throws -> [Element] {
    var elements: [Element] = []
    try run(sql) { row in
      elements.append(try decode(row))
      return true
    }
    return elements
  }

  /// The first row of the result, decoded; nil when there is none. Changes are made for every row all the same.
  package func first<Element>(_ sql: SQL, _ decode: (Row) throws -> Element) throws -> Element? {
    var element: Element?
    try run(sql) { row in
      element = try decode(row)
      return false
    }
    return element
  }

  /// Hands the rows of a query to `body` one by one. Memory does not grow with their number.
  package func forEach(_ sql: SQL, _ body: (Row) throws -> Void) throws {
    try sql.refuseNUL()
    try guarded { try connection.stream(sql, body) }
  }

  /// Runs the statement and answers how many rows it inserted, updated or deleted.
  @discardableResult
  package func execute(_ sql: SQL) throws -> Int {
    try run(sql) { _ in true }
  }

  func answer(to sql: SQL) throws -> StatementAnswer {
    try sql.refuseNUL()
    return try guarded { try connection.run([sql]).first ?? StatementAnswer() }
  }

  /// Registers what is to happen once this transaction is durable: on the writer's thread, in commit order, before the
  /// write returns. Dropped when the write fails. It must be short and must not wait. After a read it runs when the read ends.
  package func afterCommit(_ action: @escaping @Sendable () -> Void) {
    actions.append(action)
  }

  /// Registers what a write does just before COMMIT: for rows that many writes change, so that they are locked for a short time, and in
  /// one order. What it throws rolls this write back and arrives unchanged. It may use nothing of its transaction but statements. Reads
  /// have no last steps.
  ///
  /// - Parameters:
  ///   - place: Which row it changes. Steps run in the order of their places.
  ///   - amount: What it adds to the row, if it adds.
  ///   - run: Is told what the steps at this place add that run after it in the same transaction.
  package func lastly(
    at place: LastStepPlace, adding amount: Int = 0,
    _ run: @escaping @Sendable (_ transaction: Transaction, _ later: Int) throws -> Void
  ) {
    lastSteps.append(LastStep(place: place, amount: amount, run: run))
  }

  /// Several statements without parameters, of any number of results.
  func script(_ text: String) throws {
    try guarded { try connection.script(text) }
  }

  /// Lets statements take any time.
  func liftTimeouts() throws {
    try guarded { try connection.liftTimeouts() }
  }

  func end() {
    isOpen = false
  }

  @discardableResult
  private func run(_ sql: SQL, _ row: (Row) throws -> Bool) throws -> Int {
    try sql.refuseNUL()
    return try guarded { try connection.run(sql, row) }
  }

  private func guarded<Result>(_ body: () throws -> Result) throws -> Result {
    guard isOpen else { throw StorageError(.closed, "the transaction has ended") }
    if let failure { throw failure }
    do {
      return try body()
    } catch let error as EngineFailure {
      failure = error.cause
      throw error.cause
    }
  }
}
