/// What is right and wrong about a journal that was compared with an expectation, as a whole.
struct ExpectationFindings<Entries: BidirectionalCollection<JournalEntry>> {
  private let pattern: ExpectationPattern
  /// The first gaps, and how many there are.
  private let gaps: [Spacings.Gap]
  private let gapCount: Int
  /// The entries that matter; in strict order, by start.
  private let came: [ExpectationProgress.Came]
  private let assignment: Assignment
  /// Entries in the wrong order, each with one that has the right place. Indices in `came`.
  private let misplaced: [(entry: Int, beside: Int)]
  private let entries: Entries

  /// - Parameter entries: Those of the journal, in order of their numbers. They are read only for differences.
  init(_ progress: ExpectationProgress, _ entries: Entries) {
    (pattern, self.entries) = (progress.pattern, entries)
    gaps = progress.spacings.gaps(upTo: FindingWords.most, of: progress.byStart, progress.came)
    gapCount = progress.spacings.tooSoon + progress.spacings.tooLate
    guard pattern.expectation.order == .strict else {
      (came, assignment, misplaced) = (progress.came, progress.assignment, [])
      return
    }
    came = progress.byStart.map { progress.came[$0] }
    let fitting = came.map(\.meaning.fitting)
    let times = pattern.items.map(\.times)
    var inOrder = InOrder(fitting, times)
    assignment = Assignment(times, fitting, countedFor: inOrder.longest())
    misplaced = Self.misplaced(assignment.items)
  }

  /// - Parameter lost: The newest entry that was dropped although an upper bound covers it, or 0.
  func outcome(from: Int, last: Int, lost: Int) -> ExpectationOutcome {
    let (missing, extra, forbidden) = (missing, extra, forbidden)
    let unwanted = extra.filter(\.expected.isEmpty)
    let isMet =
      missing.isEmpty && extra.isEmpty && forbidden.isEmpty && misplaced.isEmpty && gaps.isEmpty && lost == 0
    let (named, near) = examined(missing, unwanted)
    var words = FindingWords(pattern, entries: named)
    for one in missing {
      words.add(one)
      if let near = near[one.expected] { words.add(near) }
    }
    let order = misplaced.map { one in
      let beside = came[one.beside].number
      return one.beside > one.entry
        ? ExpectationOutcome.Misplaced(entry: came[one.entry].number, before: beside)
        : .init(entry: came[one.entry].number, after: beside)
    }
    words.add(order)
    words.add(surplus)
    for one in forbidden { words.add(one) }
    words.add(unwanted: unwanted)
    words.add(gaps, of: gapCount)
    if lost > 0 { words.add(lost: lost) }
    return ExpectationOutcome(
      met: isMet, differences: words.differences, matched: matched, missing: missing,
      near: missing.compactMap { one in
        near[one.expected].map { .init(expected: one.expected, entry: $0.entry, differences: $0.differences) }
      }, order: order, extra: extra, forbidden: forbidden,
      spacing: gaps.map { .init(expected: $0.item + 1, entries: $0.entries, seconds: $0.time / .seconds(1)) },
      from: from, last: last)
  }

  // MARK: Counts

  private var matched: [ExpectationOutcome.Match] {
    pattern.items.indices.map { item in
      .init(expected: item + 1, entries: assignment.entries(of: item).map { came[$0].number })
    }
  }

  private var missing: [ExpectationOutcome.Missing] {
    pattern.items.enumerated().compactMap { index, item in
      let count = assignment.count(of: index)
      return count < item.times.min ? .init(expected: index + 1, came: count, of: item.times.min) : nil
    }
  }

  /// Indices in `came`, in order of numbers.
  private var leftOver: [Int] {
    came.indices.filter { assignment.items[$0] == nil && came[$0].meaning.forbidden == nil }
      .sorted { came[$0].number < came[$1].number }
  }

  private var extra: [ExpectationOutcome.Extra] {
    leftOver.map {
      .init(
        entry: came[$0].number, expected: came[$0].meaning.matching.prefix(ExpectationOutcome.Extra.most).map { $0 + 1 }
      )
    }
  }

  private var forbidden: [ExpectationOutcome.Forbidden] {
    var numbers: [Int: [Int]] = [:]
    for one in came { if let item = one.meaning.forbidden { numbers[item, default: []].append(one.number) } }
    return numbers.sorted { $0.key < $1.key }.map { .init(expected: $0.key + 1, entries: $0.value.sorted()) }
  }

  /// Items that came too often, each with all of its entries.
  private var surplus: [ExpectationOutcome.Match] {
    var numbers: [Int: [Int]] = [:]
    for index in leftOver {
      guard let item = came[index].meaning.fitting.first(where: { pattern.items[$0].times.max != 0 }) else { continue }
      numbers[item, default: assignment.entries(of: item).map { came[$0].number }].append(came[index].number)
    }
    return numbers.sorted { $0.key < $1.key }.map { .init(expected: $0.key + 1, entries: $0.value.sorted()) }
  }

  // MARK: Order

  /// The entries outside the longest part whose items are in order (patience sorting, from the end), each with the entry of
  /// that part from which it is separated by most.
  private static func misplaced(_ items: [Int?]) -> [(entry: Int, beside: Int)] {
    let counted = items.indices.filter { items[$0] != nil }
    func item(_ entry: Int) -> Int { items[entry] ?? 0 }
    /// For each length: where the part of this length begins whose first item is the last possible.
    var heads: [Int] = []
    var next: [Int: Int] = [:]
    for entry in counted.reversed() {
      let place = heads.count(while: { item($0) >= item(entry) })
      if place > 0 { next[entry] = heads[place - 1] }
      if place < heads.count { heads[place] = entry } else { heads.append(entry) }
    }
    var part: [Int] = []
    var entry = heads.last
    while let one = entry {
      part.append(one)
      entry = next[one]
    }
    let placed = Set(part)
    return counted.filter { !placed.contains($0) }.compactMap { entry in
      let before = part.count(while: { $0 < entry })
      let lower = part.count(while: { item($0) < item(entry) })
      let higher = part.count(while: { item($0) <= item(entry) })
      if lower > before { return (entry, part[lower - 1]) }
      return higher < before ? (entry, part[higher]) : nil
    }
  }

  // MARK: Near misses

  /// Entries that sentences name, and near misses of the missing items, the number of an item from 1 being the key.
  private func examined(
    _ missing: [ExpectationOutcome.Missing], _ unwanted: [ExpectationOutcome.Extra]
  ) -> (named: [Int: JournalEntry], near: [Int: NearMiss]) {
    var named = Set(unwanted.prefix(FindingWords.most).map(\.entry))
    for one in misplaced.prefix(FindingWords.most) {
      named.formUnion([came[one.entry].number, came[one.beside].number])
    }
    let used = Set(came.indices.filter { assignment.items[$0] != nil }.map { came[$0].number })
    var search = NearSearch(missing.map { ($0.expected, pattern.items[$0.expected - 1].pattern) })
    var found: [Int: JournalEntry] = [:]
    guard !named.isEmpty || !missing.isEmpty else { return ([:], [:]) }
    for entry in entries.reversed() {
      if named.contains(entry.number) { found[entry.number] = entry }
      if !used.contains(entry.number) { search.look(at: entry) }
    }
    return (found, search.found)
  }
}

/// Finds the near misses of several items. Each entry is of one item.
private struct NearSearch {
  /// How many near misses of an item are kept, in case the nearest is of another item.
  private static let kept = 4
  /// The largest number of comparisons. The oldest entries are left out.
  private static let limit = 500_000

  private let items: [(expected: Int, pattern: JournalPattern)]
  private var nearest: [Int: [NearMiss]] = [:]
  private var steps = 0

  init(_ items: [(expected: Int, pattern: JournalPattern)]) { self.items = items }

  mutating func look(at entry: JournalEntry) {
    var read = ReadEntry(entry)
    for (expected, pattern) in items where steps < Self.limit {
      steps += 1
      guard let near = NearMiss(&read, of: pattern) else { continue }
      steps += near.steps
      var best = nearest[expected] ?? []
      let place = best.firstIndex { $0.cost >= near.cost } ?? best.count
      best.insert(near, at: place)
      nearest[expected] = Array(best.prefix(Self.kept))
    }
  }

  /// The near miss of each item that has one.
  var found: [Int: NearMiss] {
    var found: [Int: NearMiss] = [:]
    var used = Set<Int>()
    let all = nearest.flatMap { expected, near in near.map { (expected: expected, near: $0) } }
    for one in all.sorted(by: {
      ($0.near.cost, $0.expected, $0.near.entry) < ($1.near.cost, $1.expected, $1.near.entry)
    })
    where found[one.expected] == nil && !used.contains(one.near.entry) {
      found[one.expected] = one.near
      used.insert(one.near.entry)
    }
    return found
  }
}
