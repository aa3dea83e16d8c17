/// How the entries of items with ``Expectation/Spacing`` follow each other, counted with each new entry.
struct Spacings: Sendable {
  /// Two entries of an item that came too soon or too late one after the other.
  struct Gap: Sendable {
    let item: Int
    let entries: [Int]
    let time: Duration
    let isTooSoon: Bool
  }

  private let spacings: [Expectation.Spacing?]
  /// The items with a spacing.
  private var spaced = ItemSet()
  /// How many gaps are too short, and too long.
  private(set) var tooSoon = 0
  private(set) var tooLate = 0
  /// How many entries and items were looked at.
  private(set) var steps = 0

  init(_ spacings: [Expectation.Spacing?]) {
    self.spacings = spacings
    for (item, spacing) in spacings.enumerated() where spacing != nil { spaced.insert(item) }
  }

  /// Counts an entry, in at most as many steps as there are entries and items.
  /// - Parameters:
  ///   - place: Its place in `byStart`, which already has it.
  ///   - byStart: Indices in `came`, by start.
  mutating func add(at place: Int, of byStart: [Int], _ came: [ExpectationProgress.Came]) {
    let new = came[byStart[place]]
    var items = new.meaning.matching
    items.formIntersection(spaced)
    guard !items.isEmpty else { return }
    let before = neighbours(of: items, in: byStart[..<place].reversed(), came)
    let after = neighbours(of: items, in: byStart[(place + 1)...], came)
    for item in items {
      steps += 1
      let (former, next) = (before[item], after[item])
      if let former, let next { count(item, came[former], came[next], -1) }
      if let former { count(item, came[former], new, 1) }
      if let next { count(item, new, came[next], 1) }
    }
  }

  /// The nearest entry of each item.
  private mutating func neighbours(
    of items: ItemSet, in places: some Sequence<Int>, _ came: [ExpectationProgress.Came]
  ) -> [Int: Int] {
    var (rest, found) = (items, [Int: Int]())
    for index in places {
      guard !rest.isEmpty else { break }
      steps += 1
      var here = came[index].meaning.matching
      here.formIntersection(rest)
      for item in here { found[item] = index }
      rest = rest.subtracting(here)
    }
    return found
  }

  private mutating func count(
    _ item: Int, _ first: ExpectationProgress.Came, _ second: ExpectationProgress.Came, _ change: Int
  ) {
    guard let gap = gap(item, first, second) else { return }
    if gap.isTooSoon { tooSoon += change } else { tooLate += change }
  }

  private func gap(
    _ item: Int, _ first: ExpectationProgress.Came, _ second: ExpectationProgress.Came
  ) -> (time: Duration, isTooSoon: Bool)? {
    guard let spacing = spacings[item] else { return nil }
    let time = Duration.nanoseconds(Int64(clamping: second.begun - first.begun))
    if let least = spacing.atLeast, time < least { return (time, true) }
    if let most = spacing.atMost, time > most { return (time, false) }
    return nil
  }

  /// The first gaps that are too short or too long, item by item.
  func gaps(upTo limit: Int, of byStart: [Int], _ came: [ExpectationProgress.Came]) -> [Gap] {
    var gaps: [Gap] = []
    for item in spaced {
      var last: ExpectationProgress.Came?
      for index in byStart where came[index].meaning.matching.contains(item) {
        guard gaps.count < min(limit, tooSoon + tooLate) else { return gaps }
        let next = came[index]
        if let last, let (time, isTooSoon) = gap(item, last, next) {
          gaps.append(Gap(item: item, entries: [last.number, next.number], time: time, isTooSoon: isTooSoon))
        }
        last = next
      }
    }
    return gaps
  }
}
