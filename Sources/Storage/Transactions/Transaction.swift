/// The argument of the body of `Database.write` or `Database.read`. It is valid only inside that body.
///
/// Once a statement has failed, the transaction is lost: every further statement throws the same error, and the write is rolled back even
/// if its body returns normally. PostgreSQL works this way, and SQLite is made to behave alike. To continue after a conflict, avoid the
/// failure in the statement (`ON CONFLICT DO NOTHING`).
package final class Transaction {
  private let connection: any Connection
  private let obeysStop: Bool
  /// The body, if it is asynchronous.
  private let member: PipelinedBodies.Member?
  private var isOpen = true
  private(set) var failure: StorageError?
  /// Whether a statement may have changed data.
  private(set) var hasChanged = false
  private(set) var actions: [@Sendable () -> Void] = []
  private(set) var commitSteps: [CommitStep] = []

  init(_ connection: any Connection, obeysStop: Bool = false, as member: PipelinedBodies.Member? = nil) {
    self.connection = connection
    self.obeysStop = obeysStop
    self.member = member
  }

  /// Whether this write is refused because writes are stopped.
  var isStopped: Bool { obeysStop && connection.isStopped }

  /// Every row of the result, decoded.
  package func all<Element>(_ sql: SQL, _ decode: (Row) throws -> Element) throws -> [Element] {
    var elements: [Element] = []
    try run(sql) { row in
      elements.append(try decode(row))
      return true
    }
    return elements
  }

  /// The first row of the result, decoded; nil if there is none. The statement still makes its changes to all rows.
  package func first<Element>(_ sql: SQL, _ decode: (Row) throws -> Element) throws -> Element? {
    var element: Element?
    try run(sql) { row in
      element = try decode(row)
      return false
    }
    return element
  }

  /// Calls `body` for each row of a query. Memory does not grow with their number.
  package func forEach(_ sql: SQL, _ body: (Row) throws -> Void) throws {
    try sql.refuseNUL()
    try guarded { try connection.stream(sql, body) }
  }

  /// Runs the statement and returns the number of rows that it inserted, updated or deleted.
  @discardableResult
  package func execute(_ sql: SQL) throws -> Int {
    try run(sql) { _ in true }
  }

  /// Runs a statement together with those of other writes that wait (``Database/pipelinedWrite(key:ignoresStop:_:)``).
  /// The place of the `await` in the code keeps writes of one key in order.
  package nonisolated(nonsending) func pipelined(
    _ sql: SQL, file: String = #fileID, line: UInt = #line
  ) async throws -> StatementAnswer {
    guard let member else { throw StorageError(.other, "only the body of a pipelined write can await a statement") }
    try sql.refuseNUL()
    guard connection.isRemote else { return try guarded { try connection.run([sql])[0] } }
    try requireUsable()
    do {
      let answer = try await member.answer(to: sql, awaitedAt: CodePlace(line: line, file: file))
      if answer.hasChanged { hasChanged = true }
      return answer
    } catch let error as EngineFailure {
      // The statements that were sent before the failed one may have changed something.
      hasChanged = true
      failure = error.cause
      throw error.cause
    }
  }

  /// Registers an action that runs once this transaction is durable: on the writer's thread, in commit order, before the write returns. It
  /// is dropped if the write fails. It must be short and must not block. After a read it runs when the read ends.
  package func afterCommit(_ action: @escaping @Sendable () -> Void) {
    actions.append(action)
  }

  /// Registers a step that runs just before COMMIT: for a row that many writes change, so that it is locked briefly and in one order. An
  /// error that it throws rolls this write back and is rethrown unchanged. The step may only run statements. Reads have no such steps.
  ///
  /// - Parameters:
  ///   - row: The row that it changes. Steps run in the order of their rows.
  ///   - amount: The amount that it adds to the row, if it adds.
  ///   - run: Receives the sum that the later steps for this row add in the same transaction.
  package func beforeCommit(
    changing row: SharedRow, adding amount: Int = 0,
    _ run: @escaping @Sendable (_ transaction: Transaction, _ later: Int) throws -> Void
  ) {
    commitSteps.append(CommitStep(row: row, amount: amount, run: run))
  }

  /// Runs several statements without parameters.
  func script(_ text: String) throws {
    try guarded { try connection.script(text) }
  }

  /// Removes the time limit for statements.
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

  private func requireUsable() throws {
    guard isOpen else { throw StorageError(.closed, "the transaction has ended") }
    if let failure { throw failure }
    if isStopped { throw WriteStop.refusal }
  }

  private func guarded<Result>(_ body: () throws -> Result) throws -> Result {
    try requireUsable()
    let before = connection.changes
    defer { if connection.changes > before { hasChanged = true } }
    do {
      return try body()
    } catch let error as EngineFailure {
      failure = error.cause
      throw error.cause
    }
  }
}
