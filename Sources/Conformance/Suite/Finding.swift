/// Violations that have one cause.
package struct Finding: Sendable {
  /// What the server does; nil if only the evidence says it.
  package let cause: String?
  /// In the order of ids and editions.
  package let violations: [Outcome]
  /// The violation of the rule that the cause is about, else the first one.
  package let first: Outcome

  private init(_ cause: String?, _ violations: [Outcome]) {
    (self.cause, self.violations) = (cause, violations)
    let about = Cause.known.first { $0.sentence == cause }?.rule
    first = violations.first { $0.rule == about } ?? violations[0]
  }

  /// The ids of its rules, in order.
  package var rules: [String] { Set(violations.map(\.rule)).sorted() }
  /// The ids besides that of the first violation.
  package var otherRules: [String] { rules.filter { $0 != first.rule } }
  /// The editions in which the first rule is violated for this cause.
  package var editions: [String] { violations.filter { $0.rule == first.rule }.map(\.edition) }

  /// The sentence above its violations; nil if there is one rule only.
  package var heading: String? {
    let count = rules.count
    guard count > 1 else { return nil }
    return "\(count) rules: \(cause ?? "The evidence is the same.")"
  }

  /// Groups violations: by known causes, else by rules and by evidence that differs in names and numbers only. Largest first.
  static func all(of violations: [Outcome]) -> [Finding] {
    var groups: [(cause: String?, violations: [Outcome])] = []
    var places: [String: Int] = [:]
    for violation in violations {
      let marks = violation.cause.map { ["cause \($0)"] } ?? ["rule \(violation.rule)", violation.pattern]
      let place = marks.lazy.compactMap { places[$0] }.first ?? groups.count
      if place == groups.count { groups.append((violation.cause, [])) }
      groups[place].violations.append(violation)
      for mark in marks where places[mark] == nil { places[mark] = place }
    }
    return groups.map { Finding($0.cause, $0.violations) }.sorted { a, b in
      (b.rules.count, a.first.rule) < (a.rules.count, b.first.rule)
    }
  }
}

extension Outcome {
  /// The evidence without what differs between accounts and rooms. Statuses and codes stay.
  fileprivate var pattern: String {
    (evidence ?? "").replacing(/[0-9a-f]{8}-[0-9a-f-]{27}/, with: "#")
      .replacing(/\b[0-9a-z]+-\d+\b/, with: "#")
      .replacing(/(answered |E)?\d+/) { $0.output.1 == nil ? "#" : String($0.output.0) }
  }
}
