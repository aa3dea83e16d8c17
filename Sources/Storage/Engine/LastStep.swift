/// What a write does just before COMMIT, after everything else that the writes of its batch do.
///
/// Rows that many writes change are changed in such steps. All transactions take them in one order, and nobody who holds one waits for
/// another row after it, so they cannot deadlock over them, whatever else the writes of a batch are about.
struct LastStep {
  let place: LastStepPlace
  let amount: Int
  let run: @Sendable (_ transaction: Transaction, _ later: Int) throws -> Void
}

/// Which row a last step changes. Steps run in the order of these, those of one place as they were asked for.
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
    /// Other writes that have a step at the place where it was refused, in their order.
    let neighbours: [Int]
  }

  private var steps: [(work: Int, step: LastStep)] = []

  /// Writes that have any, by their places in the batch.
  var works: Set<Int> { steps.reduce(into: []) { $0.insert($1.work) } }

  mutating func add(_ steps: [LastStep], of work: Int) { self.steps += steps.map { (work, $0) } }

  /// Runs all of them. Answers which write is refused, and why, if one of its steps throws; the others have not run then.
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
