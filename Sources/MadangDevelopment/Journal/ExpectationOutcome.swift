import MadangServer

/// The result of an expectation.
package struct ExpectationOutcome: Codable, Sendable {
  package struct Match: Codable, Equatable, Sendable {
    /// The number of the expected item, from 1.
    package let expected: Int
    /// The numbers of its entries.
    package let entries: [Int]
  }

  package let met: Bool
  /// The differences, in words. Empty if it is met.
  package let differences: [String]
  package let matched: [Match]
  /// The number of the journal's oldest entry.
  package let from: Int
  /// The number of the last entry that was examined.
  package let last: Int
}

extension Journal {
  package func outcome(of expectation: Expectation) async throws(BadCall) -> ExpectationOutcome {
    try await outcome(of: try ExpectationPattern(expectation))
  }

  /// Compares an expectation with past and new entries until it is met, can no longer be met, or the time is over.
  ///
  /// - Throws: `BadCall` if the journal does not have the needed entries.
  func outcome(of pattern: ExpectationPattern) async throws(BadCall) -> ExpectationOutcome {
    try check(after: pattern.expectation.after)
    if !recordsPackets, pattern.items.contains(where: { $0.pattern.kinds == [.packet] }) {
      throw BadCall(
        #"expected: packets are not recorded; switch that on with POST /_dev/journal {"packets": true}"#)
    }
    var progress = ExpectationProgress(pattern)
    var (from, seen, lost) = (1, pattern.expectation.after, 0)
    /// Whether it can no longer be met.
    func see(_ view: View) -> Bool {
      if view.dropped > seen { lost = view.dropped }
      (from, seen) = (view.first, view.last)
      progress.take(
        view.entries.filter { pattern.concerns($0.content.kind) }.map { (entry: told($0), begun: $0.begun) })
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
        it is unknown whether more came: entries up to \(lost) were dropped because the journal was full; give a higher 'after', or keep \
        more entries
        """)
    }
    return ExpectationOutcome(
      met: progress.isMet && !isBlind, differences: differences, matched: progress.matched, from: from, last: last)
  }
}

/// The progress of an expectation. In strict order the start of an entry counts: a request, which is recorded when it is
/// answered, comes before the events that it caused.
struct ExpectationProgress {
  private struct Taken {
    let entry: JournalEntry
    /// Uptime in nanoseconds.
    let begun: UInt64
    /// The index of the expected item.
    let matching: [Int]
  }

  private let pattern: ExpectationPattern
  /// In strict order: the entries by their start.
  private var taken: [Taken] = []
  /// Numbers of entries, for each expected item.
  private var found: [[Int]]
  /// In strict order: the item that is expected now.
  private var place = 0
  private var unwanted: [JournalEntry] = []
  /// In strict order: the first entry that came instead of the expected item.
  private var early: (expected: Int, entry: JournalEntry)?
  private var excess: [Int: [Int]] = [:]
  /// Whether an entry came after which it can no longer be met.
  private(set) var isHopeless = false

  init(_ pattern: ExpectationPattern) {
    self.pattern = pattern
    found = Array(repeating: [], count: pattern.items.count)
  }

  /// - Parameter entries: In order of their numbers, each with its start: uptime in nanoseconds.
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

  /// Adds entries together, because those that began earlier come before entries that were already counted.
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
    // If it could count for another item, an earlier unanswered request may still make room for it.
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

  /// The item it counts for without an order: first one that still lacks entries.
  private func firstWithRoom(_ matching: [Int]) -> Int? {
    matching.first(where: isMissing) ?? matching.first { !isFull($0) }
  }

  /// The item that is expected now, or one that may follow it.
  private func nextInOrder(_ matching: [Int]) -> Int? {
    matching.first { index in
      index >= place && !isFull(index) && (place..<index).allSatisfy { !isMissing($0) }
    }
  }

  private func isMissing(_ index: Int) -> Bool { found[index].count < pattern.items[index].times.min }
  private func isFull(_ index: Int) -> Bool { pattern.items[index].times.max.map { found[index].count >= $0 } ?? false }

  // MARK: Outcome

  var isMet: Bool { unwanted.isEmpty && excess.isEmpty && !pattern.items.indices.contains(where: isMissing) }

  var matched: [ExpectationOutcome.Match] {
    found.indices.map { ExpectationOutcome.Match(expected: $0 + 1, entries: found[$0]) }
  }

  var differences: [String] {
    var words: [String] = []
    if let early, pattern.items.indices.contains(where: isMissing) {
      words.append(
        "expected number \(early.expected + 1) was \(name(early.expected)), but \(early.entry.words) came")
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
    for entry in unwanted { words.append("also came: \(entry.words)") }
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
