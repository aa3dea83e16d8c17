/// A step of a write that runs just before COMMIT, after all bodies of its batch.
///
/// Rows that many writes change are changed in such steps. All transactions take these rows in one order and lock no other row afterwards,
/// so they cannot deadlock over them.
struct CommitStep {
  let row: SharedRow
  let amount: Int
  let run: @Sendable (_ transaction: Transaction, _ later: Int) throws -> Void
}

/// A row that many writes change. Steps before COMMIT run in the order of their rows; steps for one row run in the order of registration.
package struct SharedRow: Hashable, Comparable, Sendable {
  package let kind: String
  package let number: Int64

  package init(kind: String, number: Int64) { (self.kind, self.number) = (kind, number) }

  package static func < (a: Self, b: Self) -> Bool { (a.kind, a.number) < (b.kind, b.number) }
}

/// The steps before COMMIT of all writes of a batch.
struct CommitSteps {
  /// Some of the writes cannot be committed.
  struct Refusal {
    let writes: Set<Int>
    let error: any Error
    /// Other writes of the batch with a step for the row of the refusal.
    let neighbours: Set<Int>
  }

  private var steps: [(write: Int, step: CommitStep)] = []

  /// Indexes in the batch of the writes that have steps.
  var writes: Set<Int> { Set(steps.map(\.write)) }

  mutating func add(_ steps: [CommitStep], of write: Int) { self.steps += steps.map { (write, $0) } }

  /// Runs all steps in order. If one throws, returns the refused write and the error; the later steps have not run then.
  func run(on connection: any Connection) throws(EngineFailure) -> Refusal? {
    var later = steps.reduce(into: [:]) { $0[$1.step.row, default: 0] += $1.step.amount }
    let sorted = steps.enumerated().sorted { ($0.element.step.row, $0.offset) < ($1.element.step.row, $1.offset) }
    for (_, (write, step)) in sorted {
      later[step.row, default: 0] -= step.amount
      let transaction = Transaction(connection)
      defer { transaction.end() }
      do {
        try step.run(transaction, later[step.row, default: 0])
        if let failure = transaction.failure { throw failure }
      } catch {
        if let failure = transaction.failure, failure.endsBatch || connection.transaction == .none {
          throw EngineFailure(failure)
        }
        let neighbours = Set(steps.lazy.filter { $0.step.row == step.row }.map(\.write)).subtracting([write])
        return Refusal(writes: [write], error: error, neighbours: neighbours)
      }
    }
    return nil
  }
}
