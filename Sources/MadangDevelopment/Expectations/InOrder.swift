/// The longest assignment of entries to items in which both keep their order.
///
/// Each item first takes entries that it needs, then entries that it may have: two rounds. A round takes the entries that
/// its item fits within one stretch of the journal, up to a number. A sliding window finds the best start of the stretch
/// for each end, with at most three steps for each entry. The starts of 32 rounds are kept at a time; the others are found
/// again.
struct InOrder {
  private struct Round {
    let item: Int
    let most: Int
    let worth: Int
  }

  /// A needed entry is worth more than all entries that may come.
  private static let need = 1 << 32
  private static let roundsAtOnce = 32

  private let fitting: [ItemSet]
  private let needed: Int
  private var rounds: [Round] = []
  /// The number of steps so far.
  private(set) var steps = 0

  /// - Parameter fitting: For each entry: the items that it fits.
  init(_ fitting: [ItemSet], _ times: [Expectation.Times]) {
    self.fitting = fitting
    needed = times.reduce(0) { $0 + $1.min }
    for (item, times) in times.enumerated() {
      let most = times.max ?? .max
      if times.min > 0 { rounds.append(Round(item: item, most: times.min, worth: Self.need)) }
      if most > times.min { rounds.append(Round(item: item, most: most - times.min, worth: 1)) }
    }
  }

  /// Whether all entries count for an item, and all needed entries are there.
  mutating func isComplete() -> Bool {
    guard needed <= fitting.count else { return false }
    var worths = [Int](repeating: 0, count: fitting.count + 1)
    for round in rounds { worths = take(round, after: worths).worths }
    return worths[fitting.count] == needed * Self.need + fitting.count - needed
  }

  /// For each entry: the item that it counts for.
  mutating func longest() -> [Int?] {
    var worths = [Int](repeating: 0, count: fitting.count + 1)
    /// Before the first round, and after each 32nd.
    var beginnings: [[Int]] = []
    for (index, round) in rounds.enumerated() {
      if index.isMultiple(of: Self.roundsAtOnce) { beginnings.append(worths) }
      worths = take(round, after: worths).worths
    }
    var items = [Int?](repeating: nil, count: fitting.count)
    var end = fitting.count
    while let beginning = beginnings.popLast() {
      worths = beginning
      let some = rounds.dropFirst(beginnings.count * Self.roundsAtOnce).prefix(Self.roundsAtOnce)
      let starts = some.map { round in
        let taken = take(round, after: worths)
        worths = taken.worths
        return taken.starts
      }
      for (round, starts) in zip(some, starts).reversed() {
        let start = Int(starts[end])
        for entry in start..<end where fitting[entry].contains(round.item) { items[entry] = round.item }
        end = start
      }
    }
    return items
  }

  /// - Parameter worths: For each number of entries: what the rounds before take of the first ones.
  /// - Returns: The same after this round, and where its stretch begins.
  private mutating func take(_ round: Round, after worths: [Int]) -> (worths: [Int], starts: [Int32]) {
    var best = worths
    var starts = [Int32](repeating: 0, count: worths.count)
    /// Starts, the best first: a later one has less before it, but leaves more room.
    var window: [(place: Int, worth: Int, count: Int)] = []
    var first = 0
    var count = 0
    for place in worths.indices {
      steps += 1
      if place > 0, fitting[place - 1].contains(round.item) { count += 1 }
      let worth = worths[place] - count * round.worth
      while window.count > first, window[window.count - 1].worth <= worth {
        window.removeLast()
        steps += 1
      }
      window.append((place, worth, count))
      while count - window[first].count > round.most {
        first += 1
        steps += 1
      }
      best[place] = window[first].worth + count * round.worth
      starts[place] = Int32(window[first].place)
    }
    return (best, starts)
  }
}
