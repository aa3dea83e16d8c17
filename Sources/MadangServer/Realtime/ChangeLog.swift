import MadangCore

/// The changes that this server has read. Their numbers are assigned in order, but a long transaction becomes visible after
/// later ones. So skipped numbers are looked for as long as a transaction may take.
struct ChangeLog {
  /// The highest number known.
  private(set) var highest: Int64
  /// Skipped lower numbers, and when they were noticed by the steady clock.
  private var gaps: [Int64: Int64] = [:]

  /// How long a number may be missing, in milliseconds: statements end after 30 s, and so do idle transactions.
  static let patience: Int64 = 120_000
  private static let maxGaps = 1000

  /// The skipped numbers.
  var missing: [Int64] { Array(gaps.keys) }

  /// Starts after the existing changes: none of them is new.
  init(after latest: [Int64], now: Int64) {
    highest = latest.max() ?? 0
    if let lowest = latest.min() { note(gaps: lowest..<highest, Set(latest), now) }
  }

  /// Whether a change is new.
  mutating func isNew(_ number: Int64, now: Int64) -> Bool {
    guard number > highest else { return gaps.removeValue(forKey: number) != nil }
    note(gaps: (highest + 1)..<number, [], now)
    highest = number
    return true
  }

  /// The new ones among the changes.
  mutating func new(_ read: [LoggedChange], now: Int64) -> [Change] {
    gaps = gaps.filter { now - $0.value < Self.patience }
    return read.filter { isNew($0.number, now: now) }.compactMap(\.change)
  }

  private mutating func note(gaps numbers: Range<Int64>, _ known: Set<Int64>, _ now: Int64) {
    for number in numbers.suffix(max(0, Self.maxGaps - gaps.count)) where !known.contains(number) { gaps[number] = now }
  }
}
