/// Tells people what is wrong about a journal.
struct FindingWords {
  /// How many sentences there are of each kind at most.
  static let most = 100

  private let pattern: ExpectationPattern
  private let entries: [Int: JournalEntry]
  /// The names of the items. A filter may be as long as a body.
  private let names: [String]
  private(set) var differences: [String] = []

  /// - Parameter entries: Named ones, by number.
  init(_ pattern: ExpectationPattern, entries: [Int: JournalEntry]) {
    (self.pattern, self.entries) = (pattern, entries)
    names = pattern.items.map { BadCall.shortened($0.pattern.filter.words) }
  }

  mutating func add(_ missing: ExpectationOutcome.Missing) {
    differences.append("missing: \(name(missing.expected)), \(missing.came) of \(missing.of) came")
  }

  mutating func add(_ near: NearMiss) { differences.append("near: entry \(near.entry): \(near.words)") }

  mutating func add(_ order: [ExpectationOutcome.Misplaced]) {
    differences += sentences(order, "in the wrong order") { one in
      let (other, came, expected) = one.before.map { ($0, "before", "after") } ?? (one.after ?? 0, "after", "before")
      return "wrong order: \(name(ofEntry: one.entry)) came \(came) \(name(ofEntry: other)), expected \(expected) it"
    }
  }

  mutating func add(_ surplus: [ExpectationOutcome.Match]) {
    for one in surplus {
      let times = pattern.items[one.expected - 1].times
      let most = (times.min == times.max ? "" : "at most ") + "\(times.max ?? 0)"
      differences.append(
        "came too often: \(name(one.expected)), \(one.entries.count) times instead of \(most) \(list(one.entries))")
    }
  }

  mutating func add(_ forbidden: ExpectationOutcome.Forbidden) {
    differences.append("must not come: \(name(forbidden.expected)) \(list(forbidden.entries))")
  }

  mutating func add(unwanted: [ExpectationOutcome.Extra]) {
    differences += sentences(unwanted, "unexpected") { "also came: \(name(ofEntry: $0.entry))" }
  }

  mutating func add(_ gaps: [Spacings.Gap], of count: Int) {
    differences += sentences(gaps, of: count, "too soon or too late") { gap in
      let spacing = pattern.items[gap.item].spacing
      let (first, second) = (gap.entries[0], gap.entries[1])
      let bound =
        gap.isTooSoon ? "at least \(spacing?.atLeast ?? .zero)" : "at most \(spacing?.atMost ?? .zero)"
      return "too \(gap.isTooSoon ? "soon" : "late"): \(name(gap.item + 1)), entry \(second) came \(gap.time) after "
        + "entry \(first), expected \(bound)"
    }
  }

  mutating func add(lost: Int) {
    differences.append(
      """
      it is unknown whether more came: entries up to \(lost) were dropped because the journal was full; give a higher 'after', or keep \
      more entries
      """)
  }

  /// - Parameter count: How many there are, if `all` has only the first of them.
  private func sentences<One>(
    _ all: [One], of count: Int? = nil, _ what: String, _ sentence: (One) -> String
  ) -> [String] {
    let count = count ?? all.count
    let rest = count > Self.most ? ["and \(count - Self.most) more \(what)"] : []
    return all.prefix(Self.most).map(sentence) + rest
  }

  private func name(_ expected: Int) -> String { names[expected - 1] }

  private func name(ofEntry number: Int) -> String {
    entries[number].map { "entry \(number) \($0.what)" } ?? "entry \(number)"
  }

  private func list(_ entries: [Int]) -> String {
    "(\(entries.count == 1 ? "entry" : "entries") \(entries.map(String.init).joined(separator: ", ")))"
  }
}

extension JournalEntry {
  /// For people: `postToChannel with 200 (entry 12)`.
  package var words: String { "\(what) (entry \(number))" }

  /// For people: `postToChannel with 200`.
  var what: String {
    switch kind {
    case .request:
      (operation ?? "\(method ?? "") \(path ?? "")") + ((code ?? status.map(String.init)).map { " with \($0)" } ?? "")
    case .packet: [packet, event, namespace, direction].compactMap(\.self).joined(separator: " ")
    case .connection: "connection \(event ?? "")"
    case .push: "push to \(account ?? deviceToken ?? "")"
    case .payment: "payment \(payment ?? "") \(event ?? "")"
    case .mail: "mail \(event ?? "") to \(account ?? "")"
    }
  }
}
