import MadangCore

/// Which changes this server has heard of. Their numbers rise, but one that was under way for long may become visible after
/// later ones: so the log is read again from a number below which nothing can come any more.
struct ChangeLog {
  /// The number after which changes are read; nil before the first look.
  private(set) var start: Int64?
  /// Those after it that were acted on.
  private var known: Set<Int64> = []

  /// Whether a change was not yet acted on, which it is from now on.
  mutating func isNew(_ number: Int64) -> Bool {
    guard number > start ?? 0 else { return false }
    return known.insert(number).inserted
  }

  /// Those of the changes that were not yet acted on.
  mutating func new(_ read: [LoggedChange], now: Int64) -> [Change] {
    let new = read.filter { isNew($0.number) }.compactMap(\.change)
    if let settled = read.last(where: { $0.createdAt < now - LoggedChange.latest })?.number {
      start = max(start ?? 0, settled)
      known = known.filter { $0 > settled }
    }
    return new
  }

  /// Where the first look began.
  mutating func begin(at number: Int64) { start = start ?? number }
}
