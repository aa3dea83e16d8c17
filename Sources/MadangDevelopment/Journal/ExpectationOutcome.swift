import MadangServer

/// What became of an expectation.
package struct ExpectationOutcome: Codable, Sendable {
  package struct Match: Codable, Equatable, Sendable {
    /// Which of what is expected, from 1.
    package let expected: Int
    /// The numbers of the entries that are it.
    package let entries: [Int]
  }

  package let met: Bool
  /// What is not as expected, in words. Empty if it is met.
  package let differences: [String]
  package let matched: [Match]
  /// The number of the oldest entry that the journal has.
  package let from: Int
  /// Up to where it was looked.
  package let last: Int
}

extension Journal {
  package func outcome(of expectation: Expectation) async throws(BadCall) -> ExpectationOutcome {
    try await outcome(of: try ExpectationPattern(expectation))
  }

  /// Holds an expectation against what is there and comes: until it is met, cannot be met any more, or the time is over.
  ///
  /// - Throws: `BadCall` if the journal cannot tell.
  func outcome(of pattern: ExpectationPattern) async throws(BadCall) -> ExpectationOutcome {
    try check(after: pattern.expectation.after)
    if !recordsPackets, pattern.items.contains(where: { $0.pattern.kinds == [.packet] }) {
      throw BadCall(
        #"expected: packets are not recorded; have them recorded with POST /_dev/journal {"packets": true}"#)
    }
    var progress = ExpectationProgress(pattern)
    var (from, seen, lost) = (1, pattern.expectation.after, 0)
    /// Whether it cannot be met any more.
    func see(_ view: View) -> Bool {
      if view.dropped > seen { lost = view.dropped }
      (from, seen) = (view.first, view.last)
      progress.take(
        view.entries.filter { pattern.concerns($0.happening.kind) }.map { (entry: told($0), begun: $0.begun) })
      return progress.isHopeless
    }
    var last = await follow(after: pattern.expectation.after, for: pattern.expectation.wait) { view in
      see(view) || progress.isMet && !pattern.awaitsNothing ? view.last : nil
    }
    if progress.isMet, pattern.expectation.settle > .zero {
      last = await follow(after: last, for: pattern.expectation.settle) { see($0) ? $0.last : nil }
    }
    var differences = progress.differences
    let isBlind = lost > 0 && pattern.hasUpperBounds
    if isBlind {
      differences.append(
        """
        nobody knows whether more came: entries up to \(lost) were forgotten, as the journal was full; give a higher after, or keep \
        more entries
        """)
    }
    return ExpectationOutcome(
      met: progress.isMet && !isBlind, differences: differences, matched: progress.matched, from: from, last: last)
  }
}

/// How far an expectation has come. In strict order what began earlier counts first: a request, which is known when it is
/// answered, stands before what it brought about.
struct ExpectationProgress {
  private struct Taken {
    let entry: JournalEntry
    /// Uptime in nanoseconds.
    let begun: UInt64
    /// Of what is expected.
    let matching: [Int]
  }

  private let pattern: ExpectationPattern
  /// In strict order: what came, in the order in which it began.
  private var taken: [Taken] = []
  /// Numbers of entries, for each of what is expected.
  private var found: [[Int]]
  /// In strict order: which is expected now.
  private var place = 0
  private var unwanted: [JournalEntry] = []
  /// In strict order: what came instead of what was expected then.
  private var early: (expected: Int, entry: JournalEntry)?
  private var excess: [Int: [Int]] = [:]
  /// Whether something came that nothing can make good.
  private(set) var isHopeless = false

  init(_ pattern: ExpectationPattern) {
    self.pattern = pattern
    found = Array(repeating: [], count: pattern.items.count)
  }

  /// - Parameter entries: In the order of their numbers, each with its beginning: uptime in nanoseconds.
  mutating func take(_ entries: [(entry: JournalEntry, begun: UInt64)]) {
    var isInOrder = true
    for (entry, begun) in entries where !isHopeless {
      let matching = pattern.items.indices.filter { pattern.items[$0].pattern.matches(entry) }
      guard !matching.isEmpty || pattern.isUnwanted(entry) else { continue }
      guard pattern.expectation.order == .strict else {
        count(entry, matching)
        continue
      }
      isInOrder = isInOrder && taken.last.map { $0.begun <= begun } ?? true
      taken.append(Taken(entry: entry, begun: begun, matching: matching))
      if isInOrder { count(entry, matching) }
    }
    if !isInOrder { countAnew() }
  }

  /// Once for all that came together: what began earlier stands before what was counted already.
  private mutating func countAnew() {
    var all = taken
    all.sort { ($0.begun, $0.entry.number) < ($1.begun, $1.entry.number) }
    self = ExpectationProgress(pattern)
    taken = all
    for one in all where !isHopeless { count(one.entry, one.matching) }
  }

  private mutating func count(_ entry: JournalEntry, _ matching: [Int]) {
    if let index = pattern.expectation.order == .strict ? nextInOrder(matching) : firstWithRoom(matching) {
      found[index].append(entry.number)
      if pattern.expectation.order == .strict { place = index }
      return
    }
    // Where it could count for something else, an earlier request that is not answered yet may make room for it.
    if let full = matching.first, matching.allSatisfy(isFull) {
      excess[full, default: []].append(entry.number)
      isHopeless = true
    } else if pattern.isUnwanted(entry) {
      unwanted.append(entry)
      isHopeless = isHopeless || matching.isEmpty
    }
    if early == nil, pattern.expectation.order == .strict, matching.contains(where: { $0 > place }) {
      early = (place, entry)
    }
  }

  /// Where it counts if order does not matter: first where something is missing.
  private func firstWithRoom(_ matching: [Int]) -> Int? {
    matching.first(where: isMissing) ?? matching.first { !isFull($0) }
  }

  /// What is expected now, or what may follow it.
  private func nextInOrder(_ matching: [Int]) -> Int? {
    matching.first { index in
      index >= place && !isFull(index) && (place..<index).allSatisfy { !isMissing($0) }
    }
  }

  private func isMissing(_ index: Int) -> Bool { found[index].count < pattern.items[index].times.min }
  private func isFull(_ index: Int) -> Bool { pattern.items[index].times.max.map { found[index].count >= $0 } ?? false }

  // MARK: What came of it

  var isMet: Bool { unwanted.isEmpty && excess.isEmpty && !pattern.items.indices.contains(where: isMissing) }

  var matched: [ExpectationOutcome.Match] {
    found.indices.map { ExpectationOutcome.Match(expected: $0 + 1, entries: found[$0]) }
  }

  var differences: [String] {
    var words: [String] = []
    if let early, pattern.items.indices.contains(where: isMissing) {
      words.append(
        "expected number \(early.expected + 1) was \(name(early.expected)); came \(early.entry.words)")
    }
    for index in pattern.items.indices where isMissing(index) {
      let (count, least) = (found[index].count, pattern.items[index].times.min)
      words.append("missing: \(name(index))" + (least > 1 ? ", \(count) of \(least) times" : ""))
    }
    for (index, numbers) in excess.sorted(by: { $0.key < $1.key }) {
      let all = found[index] + numbers
      words.append(
        "came too often: \(name(index)), \(all.count) times instead of \(pattern.items[index].times.max ?? 0) "
          + "(entries \(all.map(String.init).joined(separator: ", ")))")
    }
    for entry in unwanted { words.append("came too: \(entry.words)") }
    return words
  }

  private func name(_ index: Int) -> String { pattern.items[index].pattern.filter.words }
}

extension JournalEntry {
  /// For people: `postToChannel (entry 12)`.
  package var words: String {
    let what: String =
      switch kind {
      case .request:
        (operation ?? "\(method ?? "") \(path ?? "")") + (code ?? status.map(String.init)).map { " with \($0)" }.orEmpty
      case .packet: [packet, event, namespace, direction].compactMap(\.self).joined(separator: " ")
      case .connection: "connection \(event ?? "")"
      case .push: "push to \(account ?? deviceToken ?? "")"
      case .payment: "payment \(payment ?? "") \(event ?? "")"
      }
    return "\(what) (entry \(number))"
  }
}

extension String? {
  fileprivate var orEmpty: String { self ?? "" }
}
