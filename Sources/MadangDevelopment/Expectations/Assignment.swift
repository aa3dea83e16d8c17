/// Entries of a journal, each counted for at most one expected item: a bipartite matching in which an item has several
/// places.
///
/// A place that an item needs is filled before a place that it may have. So at the same time as few entries as possible
/// are missing and as few as possible are left over (Mendelsohn and Dulmage, 1958). Each entry costs at most as many
/// steps as there are entries and items.
struct Assignment: Sendable {
  private let times: [Expectation.Times]
  /// For each entry: the items that it fits.
  private var fitting: [ItemSet] = []
  /// For each entry: the item that it counts for.
  private(set) var items: [Int?] = []
  /// For each item: the entries that count for it.
  private var entries: [[Int]]
  /// For each item: what its entries fit, or more.
  private var reachable: [ItemSet]
  /// Items that are full for ever: all of their entries fit only such items.
  private var closed = ItemSet()
  /// The number of steps so far.
  private(set) var steps = 0
  /// How many entries are still needed.
  private(set) var missing: Int
  /// How many entries count for no item.
  private(set) var leftOver = 0

  init(_ times: [Expectation.Times]) {
    self.times = times
    entries = Array(repeating: [], count: times.count)
    reachable = Array(repeating: ItemSet(), count: times.count)
    missing = times.reduce(0) { $0 + $1.min }
  }

  /// - Parameters:
  ///   - fitting: For each entry: the items that it fits.
  ///   - items: For each entry: the item that it counts for at first. Others may take its place.
  init(_ times: [Expectation.Times], _ fitting: [ItemSet], countedFor items: [Int?]) {
    self.init(times)
    self.fitting = fitting
    self.items = Array(repeating: nil, count: fitting.count)
    leftOver = fitting.count
    for (entry, item) in items.enumerated() { if let item { move(entry, to: item) } }
    for (entry, item) in items.enumerated() where item == nil { _ = place([entry]) }
    while missing > 0, place(surplus, onlyWhereMissing: true) {}
  }

  /// Adds the next entry, which fits these items.
  mutating func add(_ fitting: ItemSet) {
    self.fitting.append(fitting)
    items.append(nil)
    leftOver += 1
    _ = place([items.count - 1])
  }

  func count(of item: Int) -> Int { entries[item].count }

  /// The entries that count for an item, in order.
  func entries(of item: Int) -> [Int] { entries[item].sorted() }

  /// The entries of items that have more than they need.
  private var surplus: [Int] {
    times.indices.flatMap { entries[$0].count > times[$0].min ? entries[$0] : [] }
  }

  private func isMissing(_ item: Int) -> Bool { entries[item].count < times[item].min }
  private func hasRoom(_ item: Int) -> Bool { times[item].max.map { entries[item].count < $0 } ?? true }

  /// Moves one of some entries to an item with room, where another entry makes room if necessary, and so on. Whether that
  /// is possible.
  private mutating func place(_ starts: [Int], onlyWhereMissing: Bool = false) -> Bool {
    var reached = ItemSet()
    /// The entry that would move to each reached item.
    var mover: [Int: Int] = [:]
    var queue: [Int] = []
    var roomy: Int?
    /// Reaches the items that an entry fits. Returns one that lacks entries, or one with room if that is enough.
    func reach(from entry: Int) -> Int? {
      for item in fitting[entry].subtracting(reached).subtracting(closed) {
        reached.insert(item)
        mover[item] = entry
        queue.append(item)
        if isMissing(item) { return item }
        if !onlyWhereMissing, roomy == nil, hasRoom(item) { roomy = item }
        if missing == 0, let roomy { return roomy }
      }
      return nil
    }
    var target: Int?
    for entry in starts where target == nil {
      steps += 1
      target = reach(from: entry)
    }
    var next = 0
    while target == nil, next < queue.count {
      let item = queue[next]
      next += 1
      steps += 1
      guard !reachable[item].subtracting(reached).subtracting(closed).isEmpty else { continue }
      var union = ItemSet()
      for entry in entries[item] where target == nil {
        steps += 1
        union.formUnion(fitting[entry])
        target = reach(from: entry)
      }
      if target == nil { reachable[item] = union }
    }
    guard var item = target ?? roomy else {
      if !onlyWhereMissing { closed.formUnion(reached) }
      return false
    }
    let ends = Set(starts)
    while let entry = mover[item] {
      let former = items[entry]
      move(entry, to: item)
      guard let former, !ends.contains(entry) else { break }
      item = former
    }
    return true
  }

  private mutating func move(_ entry: Int, to item: Int) {
    if let former = items[entry] {
      if let place = entries[former].firstIndex(of: entry) { entries[former].swapAt(place, entries[former].count - 1) }
      entries[former].removeLast()
      if isMissing(former) { missing += 1 }
    } else {
      leftOver -= 1
    }
    if isMissing(item) { missing -= 1 }
    items[entry] = item
    entries[item].append(entry)
    reachable[item].formUnion(fitting[entry])
  }
}
