import MadangAPI

/// How often each part of the contract was touched, by edition, section and name, without untouched parts.
package struct CoverageCounts: Codable, Equatable, Sendable {
  private var editions: [String: [String: [String: Int]]] = [:]
  /// How many steps of started flows were done, by edition.
  private var steps: [String: [String: Int]] = [:]

  package init() {}

  /// - Parameters:
  ///   - counts: By item of the contract.
  ///   - steps: By item of a flow.
  init(_ counts: [Int], steps: [Int: Int]) {
    for (item, count) in zip(Contract.shared.items, counts) where count > 0 {
      editions[item.edition.rawValue, default: [:]][item.section.rawValue, default: [:]][item.name] = count
    }
    for (index, done) in steps {
      let item = Contract.shared.items[index]
      self.steps[item.edition.rawValue, default: [:]][item.name] = done
    }
  }

  /// Adds other counts.
  package mutating func add(_ other: CoverageCounts) {
    editions.merge(other.editions) { mine, theirs in
      mine.merging(theirs) { mine, theirs in mine.merging(theirs) { $0.addingReportingOverflow($1).partialValue } }
    }
    steps.merge(other.steps) { mine, theirs in mine.merging(theirs, uniquingKeysWith: max) }
  }

  func count(of item: Contract.Item) -> Int {
    editions[item.edition.rawValue]?[item.section.rawValue]?[item.name] ?? 0
  }

  func steps(of item: Contract.Item) -> Int { steps[item.edition.rawValue]?[item.name] ?? 0 }
}
