import Testing

@testable import MadangDevelopment

/// Random journals and expectations, compared with all assignments that there are.
@Suite("Properties of expectations", .timeLimit(.minutes(5)))
struct ExpectationPropertyTests {
  private static let filters: [JournalFilter] = [
    .post, .post("a"), JournalFilter { $0.account = "mina@example.com" }, .history,
    .post("a").having { $0.account = "mina@example.com" },
  ]

  /// For each filter: its wider ones, and itself.
  private static let wider: [Set<Int>] = [[0], [0, 1], [2], [3], [0, 1, 2, 4]]

  /// Which entries match each filter.
  private static func matches(_ filter: Int, _ entry: Int) -> Bool {
    // Post a of Mina, post b of Mina, post a of Joon, history of Mina, leave of Mina.
    [
      [true, true, true, false, false], [true, false, true, false, false], [true, true, false, true, true],
      [false, false, false, true, false], [true, false, false, false, false],
    ][filter][entry]
  }

  private static let entries: [Came] = [.post("a"), .post("b"), .post("a", by: "joon"), .history, .leave]

  private struct Case: Sendable, CustomStringConvertible {
    var filters: [Int] = []
    var times: [Expected.Times] = []
    var entries: [Int] = []
    var isStrict = false
    var only = false

    init(_ random: inout SeededGenerator) {
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        filters.append(Int.random(in: 0..<5, using: &random))
        let least = Int.random(in: 0...2, using: &random)
        let most = Int.random(in: 0...3, using: &random)
        times.append(.init(min: least, max: most == 3 ? nil : max(least, most)))
      }
      entries = (0..<Int.random(in: 0...6, using: &random)).map { _ in Int.random(in: 0..<5, using: &random) }
      (isStrict, only) = (Bool.random(using: &random), Int.random(in: 0..<4, using: &random) == 0)
    }

    var description: String { "filters \(filters), times \(times), entries \(entries), \(isStrict), \(only)" }

    var journal: JudgedJournal {
      let items = zip(filters, times).map { Expected.Item(ExpectationPropertyTests.filters[$0], times: $1) }
      return JudgedJournal(
        "", entries.map { ExpectationPropertyTests.entries[$0] }, items, isStrict ? .strict : .any, only: only)
    }

    func matching(_ entry: Int) -> [Int] {
      filters.indices.filter { ExpectationPropertyTests.matches(filters[$0], entry) }
    }

    /// Whether an entry may count for an item: all items that forbid it are wider than that item.
    func mayCount(_ entry: Int, for item: Int) -> Bool {
      matching(entry).contains(item)
        && matching(entry).filter { times[$0].max == 0 }.allSatisfy { wider[filters[item]].contains(filters[$0]) }
    }

    /// Whether there is an assignment without a difference.
    var isPossible: Bool { isPossible(0, Array(repeating: 0, count: times.count), last: 0) }

    private func isPossible(_ place: Int, _ counts: [Int], last: Int) -> Bool {
      guard place < entries.count else {
        return zip(counts, times).allSatisfy { $0 >= $1.min && $0 <= $1.max ?? .max }
      }
      if matching(entries[place]).isEmpty { return !only && isPossible(place + 1, counts, last: last) }
      for item in times.indices where mayCount(entries[place], for: item) && (!isStrict || item >= last) {
        var next = counts
        next[item] += 1
        if next[item] <= times[item].max ?? .max, isPossible(place + 1, next, last: item) { return true }
      }
      return false
    }
  }

  @Test("an expectation is met exactly if its entries can be assigned, and its differences are true", arguments: 0..<8)
  func random(_ part: Int) throws {
    var random = SeededGenerator(seed: UInt64(part))
    var met = 0
    for _ in 0..<250 {
      let one = Case(&random)
      let outcome = try one.journal.judged()
      if outcome.met != one.isPossible { Issue.record("\(one): \(outcome.met), \(outcome.differences)") }
      #expect(outcome.met == outcome.differences.isEmpty, "\(one)")
      met += outcome.met ? 1 : 0
      try check(outcome, of: one)
    }
    #expect(met > 20 && met < 230, "\(met)")
  }

  private func check(_ outcome: ExpectationOutcome, of one: Case) throws {
    let assigned = outcome.matched.flatMap(\.entries)
    #expect(Set(assigned).count == assigned.count, "\(one): an entry counts twice")
    for match in outcome.matched {
      let item = match.expected - 1
      #expect(match.entries.allSatisfy { one.matching(one.entries[$0 - 1]).contains(item) }, "\(one)")
      #expect(match.entries.count <= one.times[item].max ?? .max, "\(one)")
      let missing = outcome.missing.first { $0.expected == match.expected }
      let isMissing = match.entries.count < one.times[item].min
      #expect((missing != nil) == isMissing && missing?.came ?? match.entries.count == match.entries.count, "\(one)")
      guard isMissing else { continue }
      // What is called missing is not there: all entries that could count for it are needed by other items.
      for (index, entry) in one.entries.enumerated() where one.mayCount(entry, for: item) {
        let other = outcome.matched.first { $0.entries.contains(index + 1) }
        #expect(other != nil, "\(one): \(outcome)")
        if let other { #expect(other.entries.count <= one.times[other.expected - 1].min, "\(one): \(outcome)") }
      }
    }
    for extra in outcome.extra {
      #expect(!assigned.contains(extra.entry), "\(one)")
      #expect(extra.expected == one.matching(one.entries[extra.entry - 1]).map { $0 + 1 }, "\(one)")
      #expect(one.only || !extra.expected.isEmpty, "\(one)")
      // All items that it could count for are full.
      for item in one.times.indices where one.mayCount(one.entries[extra.entry - 1], for: item) {
        #expect(outcome.matched[item].entries.count == one.times[item].max, "\(one)")
      }
    }
    for misplaced in outcome.order {
      let beside = try #require(misplaced.before ?? misplaced.after)
      let items = [misplaced.entry, beside].compactMap { entry in
        outcome.matched.first { $0.entries.contains(entry) }?.expected
      }
      try #require(items.count == 2, "\(one)")
      let isEarlier = misplaced.entry < beside
      #expect(isEarlier == (misplaced.before != nil) && isEarlier == (items[0] > items[1]), "\(one)")
    }
    for near in outcome.near {
      #expect(!assigned.contains(near.entry) && outcome.missing.contains { $0.expected == near.expected }, "\(one)")
    }
  }

  /// Sets of items that each fit many entries, as those of `*`.
  private static func fitting(items: Int, entries: Int) -> [ItemSet] {
    var random = SeededGenerator(seed: 7)
    return (0..<entries).map { _ in
      var set = ItemSet()
      for item in 0..<items where Int.random(in: 0..<4, using: &random) == 0 { set.insert(item) }
      return set
    }
  }

  @Test(
    "an assignment costs a bounded number of steps for each entry", arguments: [(16, 500), (64, 2000), (256, 2000)])
  func steps(_ items: Int, _ entries: Int) {
    let fitting = Self.fitting(items: items, entries: entries)
    let times = (0..<items).map { Expected.Times(min: $0 % 3, max: entries / items + $0 % 2) }
    var assignment = Assignment(times)
    for one in fitting { assignment.add(one) }
    #expect(assignment.steps <= entries * (entries + items))
    // Far less if entries fit many items.
    #expect(assignment.steps <= 40 * entries, "\(assignment.steps)")
    var inOrder = InOrder(fitting, times)
    let longest = inOrder.longest()
    #expect(inOrder.steps <= 12 * items * (entries + 1), "\(inOrder.steps)")
    let counted = longest.compactMap(\.self)
    #expect(counted == counted.sorted() && counted.count >= entries / 8)
  }

  @Test("one more entry than may concern an expectation makes it overfull")
  func overfull() throws {
    let pattern = try ExpectationPattern(Expected([.atLeast(1, .post)]))
    var progress = ExpectationProgress(pattern)
    let (entry, begun) = try #require(JudgedJournal("", [.post("a")], []).entries.first)
    progress.take(repeatElement((entry: entry, begun: begun), count: Expected.maxEntries))
    #expect(progress.isMet && !progress.isOverfull)
    progress.take([(entry: entry, begun: begun)])
    #expect(progress.isOverfull)
  }
}
