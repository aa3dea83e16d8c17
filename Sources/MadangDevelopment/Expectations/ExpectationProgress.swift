import MadangServer

/// What came of an expectation so far. In strict order the start of an entry counts: a request, which is recorded when it
/// is answered, comes before the events that it caused.
struct ExpectationProgress: Sendable {
  /// An entry that matters.
  struct Came: Sendable {
    let number: Int
    /// Uptime in nanoseconds.
    let begun: UInt64
    let meaning: ExpectationPattern.Meaning
  }

  /// In strict order, up to this many entries times items are examined after each new entry, and more after each sixteenth
  /// of them.
  private static let cheap = 1 << 17

  let pattern: ExpectationPattern
  /// In order of their numbers.
  private(set) var came: [Came] = []
  /// Indices in `came`, by start.
  private(set) var byStart: [Int] = []
  /// In any order.
  private(set) var assignment: Assignment
  private(set) var spacings: Spacings
  private var hasForbidden = false
  /// How many entries there were when their order was last examined.
  private var examined = 0
  private(set) var isMet = false
  /// Whether an entry came after which it can no longer be met.
  private(set) var isHopeless = false
  /// Whether too many entries matter.
  private(set) var isOverfull = false

  init(_ pattern: ExpectationPattern) {
    self.pattern = pattern
    assignment = Assignment(pattern.items.map(\.times))
    spacings = Spacings(pattern.items.map(\.spacing))
    judge()
  }

  /// - Parameter entries: In order of their numbers, each with its start: uptime in nanoseconds.
  mutating func take(_ entries: some Sequence<(entry: JournalEntry, begun: UInt64)>) {
    let before = came.count
    for (entry, begun) in entries where !isOverfull {
      guard let meaning = pattern.meaning(of: entry) else { continue }
      guard came.count < Expectation.maxEntries else {
        isOverfull = true
        continue
      }
      let place = byStart.count(while: { came[$0].begun <= begun })
      byStart.insert(came.count, at: place)
      came.append(Came(number: entry.number, begun: begun, meaning: meaning))
      spacings.add(at: place, of: byStart, came)
      assignment.add(meaning.fitting)
      hasForbidden = hasForbidden || meaning.forbidden != nil
    }
    if came.count > before { judge() }
  }

  private mutating func judge() {
    isHopeless = hasForbidden || assignment.leftOver > 0 || spacings.tooSoon > 0
    isMet = !isHopeless && assignment.missing == 0 && spacings.tooLate == 0
    guard pattern.expectation.order == .strict, !isHopeless else { return }
    guard came.count * pattern.items.count <= Self.cheap || came.count >= examined + examined / 16 else {
      isMet = false
      return
    }
    examined = came.count
    let fitting = byStart.map { came[$0].meaning.fitting }
    let times = pattern.items.map(\.times)
    if isMet {
      var inOrder = InOrder(fitting, times)
      isMet = inOrder.isComplete()
    }
    guard !isMet else { return }
    // Entries that are still missing change nothing about the order of the others.
    var inOrder = InOrder(fitting, times.map { Expectation.Times(max: $0.max) })
    isHopeless = !inOrder.isComplete()
  }
}
