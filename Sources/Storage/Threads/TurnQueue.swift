import DequeModule
import Foundation

/// A bounded queue from tasks to threads in which callers take turns: however many elements one of them puts in, the next
/// of another waits behind one of each only, and a caller has at most `takenPerTurn` threads; one less, but at least one, as long as
/// others are here, so that cores and memory are left to them. Putting never waits, taking does.
///
/// `@unchecked Sendable`: all variables are touched only while `condition` is held.
final class TurnQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var elements: [String: Deque<Element>] = [:]
  /// Those who have elements here, the next one first.
  private var turns = Deque<String>()
  /// How many elements of each have been taken and not finished.
  private var taken: [String: Int] = [:]
  /// The last two who took something, the latest first.
  private var latest: [(turn: String, at: ContinuousClock.Instant)] = []
  private var count = 0
  private var isClosed = false
  private let limit: Int
  private let limitPerTurn: Int
  private let takenPerTurn: Int?
  private let presence: Duration
  private let isAbandoned: @Sendable (Element) -> Bool

  /// - Parameters:
  ///   - limitPerTurn: how many elements of one caller may wait.
  ///   - takenPerTurn: how many of one caller may be taken and not finished, one less, but at least one, while there are others; more
  ///     wait. Nil for any number.
  ///   - presence: for how long somebody is here after an element of theirs was taken.
  ///   - isAbandoned: whether nobody waits for an element any more; such elements do not count against limits.
  init(
    limit: Int, limitPerTurn: Int, takenPerTurn: Int?, presence: Duration = .seconds(5),
    isAbandoned: @escaping @Sendable (Element) -> Bool
  ) {
    self.limit = limit
    self.limitPerTurn = limitPerTurn
    self.takenPerTurn = takenPerTurn
    self.presence = presence
    self.isAbandoned = isAbandoned
  }

  /// Puts an element in, and answers the one that had to make room for it: when all is full, the latest of whoever has
  /// most here, if that is more than `turn` has.
  func put(_ element: Element, turn: String) throws(StorageError) -> Element? {
    condition.lock()
    defer { condition.unlock() }
    guard !isClosed else { throw StorageError(.closed, "closed") }
    if count >= limit || elements[turn]?.count ?? 0 >= limitPerTurn { removeAbandoned() }
    let own = elements[turn]?.count ?? 0
    guard own < limitPerTurn else {
      throw StorageError(.overloaded, "more than \(limitPerTurn) operations of one caller are waiting")
    }
    var displaced: Element?
    if count >= limit {
      guard let most = elements.max(by: { $0.value.count < $1.value.count }), most.value.count > own + 1 else {
        throw StorageError(.overloaded, "more than \(limit) operations are waiting")
      }
      displaced = elements[most.key]?.popLast()
      count -= 1
    }
    if elements[turn] == nil { turns.append(turn) }
    elements[turn, default: []].append(element)
    count += 1
    condition.signal()
    return displaced
  }

  /// Waits for an element, and answers whose it is. Nil when closed and empty.
  ///
  /// - Parameter finished: whose element the calling thread took before, and has finished.
  func take(finished: String?) -> (element: Element, turn: String)? {
    condition.lock()
    defer { condition.unlock() }
    if let finished, let rest = taken[finished] { taken[finished] = rest > 1 ? rest - 1 : nil }
    while true {
      // Whoever may not have more now keeps their turn. They are fewer than there are threads.
      if let index = turns.firstIndex(where: mayTake), let element = elements[turns[index]]?.popFirst() {
        let turn = turns.remove(at: index)
        count -= 1
        if elements[turn]?.isEmpty ?? true { elements[turn] = nil } else { turns.append(turn) }
        taken[turn, default: 0] += 1
        latest = [(turn, .now)] + latest.filter { $0.turn != turn }.prefix(1)
        // A thread that found nothing to take may find something now that some time has passed.
        if !turns.isEmpty { condition.signal() }
        // Threads that waited for a turn have nothing to wait for any more.
        if isClosed && count == 0 { condition.broadcast() }
        return (element, turn)
      }
      if isClosed && count == 0 { return nil }
      condition.wait()
    }
  }

  private func mayTake(_ turn: String) -> Bool {
    guard let takenPerTurn else { return true }
    let start = ContinuousClock.now - presence
    let isAlone = !latest.contains { $0.turn != turn && $0.at > start }
    return taken[turn] ?? 0 < (isAlone ? takenPerTurn : max(1, takenPerTurn - 1))
  }

  var waiting: Int {
    condition.lock()
    defer { condition.unlock() }
    return count
  }

  /// Refuses new elements; those that wait are still taken.
  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }

  /// Costs as much as elements wait.
  private func removeAbandoned() {
    for turn in turns {
      elements[turn]?.removeAll(where: isAbandoned)
      if elements[turn]?.isEmpty ?? true { elements[turn] = nil }
    }
    turns.removeAll { elements[$0] == nil }
    count = elements.values.reduce(0) { $0 + $1.count }
  }
}
