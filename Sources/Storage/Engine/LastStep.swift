/// A step that a write runs just before COMMIT, after all other statements of its batch.
///
/// Rows that many writes change are changed in such steps. All transactions take these rows in one order and lock no other row afterwards,
/// so they cannot deadlock over them.
struct LastStep {
  let place: LastStepPlace
  let amount: Int
  let run: @Sendable (_ transaction: Transaction, _ later: Int) throws -> Void
}

/// The row that a last step changes. Steps run in the order of their places; steps at one place run in the order of registration.
package struct LastStepPlace: Hashable, Comparable, Sendable {
  package let kind: String
  package let number: Int64

  package init(kind: String, number: Int64) { (self.kind, self.number) = (kind, number) }

  package static func < (a: Self, b: Self) -> Bool { (a.kind, a.number) < (b.kind, b.number) }
}

/// The last steps of all writes of a batch.
struct LastSteps {
  /// Some of the writes cannot be committed.
  struct Refusal {
    let works: Set<Int>
    let error: any Error
    /// Other writes of the batch with a step at the place of the refusal, in order.
    let neighbours: [Int]
  }

  private var steps: [(work: Int, step: LastStep)] = []

  /// Indexes in the batch of the writes that have last steps.
  var works: Set<Int> { steps.reduce(into: []) { $0.insert($1.work) } }

  mutating func add(_ steps: [LastStep], of work: Int) { self.steps += steps.map { (work, $0) } }

  /// Runs all steps in order. If one throws, returns the refused write and the error; the later steps have not run then.
  func run(on connection: any Connection) throws(EngineFailure) -> Refusal? {
    var later = steps.reduce(into: [:]) { $0[$1.step.place, default: 0] += $1.step.amount }
    let sorted = steps.enumerated().sorted { ($0.element.step.place, $0.offset) < ($1.element.step.place, $1.offset) }
    for (_, (work, step)) in sorted {
      later[step.place, default: 0] -= step.amount
      let transaction = Transaction(connection)
      defer { transaction.end() }
      do {
        try step.run(transaction, later[step.place, default: 0])
        if let failure = transaction.failure { throw failure }
      } catch {
        if let cause = transaction.failure, cause.endsBatch || connection.transaction == .none {
          throw EngineFailure(cause)
        }
        let neighbours = Set(steps.lazy.filter { $0.step.place == step.place }.map(\.work)).subtracting([work])
        return Refusal(works: [work], error: error, neighbours: neighbours.sorted())
      }
    }
    return nil
  }
}
