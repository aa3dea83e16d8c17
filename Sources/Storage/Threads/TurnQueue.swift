import DequeModule
import Foundation

/// A bounded queue from tasks to threads in which callers take turns. However many elements one caller puts in, the next element of another
/// caller waits behind at most one of each. A caller occupies at most `takenPerTurn` threads; while other callers are present, one less
/// (but at least one), which leaves them cores and memory. Putting never waits, taking does.
///
/// `@unchecked Sendable`: all variables are accessed only while `condition` is held.
final class TurnQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var elements: [String: Deque<Element>] = [:]
  /// Callers with elements here, the next one first.
  private var turns = Deque<String>()
  /// Number of elements by caller that were taken and not finished.
  private var taken: [String: Int] = [:]
  /// The last two callers that had an element taken, the latest first.
  private var latest: [(turn: String, at: ContinuousClock.Instant)] = []
  private var count = 0
  private var isClosed = false
  private let limit: Int
  private let limitPerTurn: Int
  private let takenPerTurn: Int?
  private let presence: Duration
  private let isAbandoned: @Sendable (Element) -> Bool

  /// - Parameters:
  ///   - limitPerTurn: How many elements of one caller may wait.
  ///   - takenPerTurn: How many elements of one caller may be in progress; one less, but at least one, while other callers are present. The
  ///     rest wait. Nil means no limit.
  ///   - presence: How long a caller counts as present after an element of it was taken.
  ///   - isAbandoned: Whether no caller waits for an element any longer. Such elements do not count against limits.
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

  /// Puts an element in. If the queue is full, returns the element that made room: the latest one of the caller with the most elements, if
  /// that has more than `turn`.
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

  /// Waits for an element, and returns it with its caller. Nil when closed and empty.
  ///
  /// - Parameter finished: The caller whose element the calling thread has just finished.
  func take(finished: String?) -> (element: Element, turn: String)? {
    condition.lock()
    defer { condition.unlock() }
    if let finished, let rest = taken[finished] { taken[finished] = rest > 1 ? rest - 1 : nil }
    while true {
      // A caller that may not have more threads now keeps its turn. There are fewer such callers than threads.
      if let index = turns.firstIndex(where: mayTake), let element = elements[turns[index]]?.popFirst() {
        let turn = turns.remove(at: index)
        count -= 1
        if elements[turn]?.isEmpty ?? true { elements[turn] = nil } else { turns.append(turn) }
        taken[turn, default: 0] += 1
        latest = [(turn, .now)] + latest.filter { $0.turn != turn }.prefix(1)
        // A thread that found nothing to take before may find something now, because time has passed.
        if !turns.isEmpty { condition.signal() }
        // Threads that wait for a caller's turn must now end.
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

  /// Refuses new elements. Waiting elements can still be taken.
  func close() {
    condition.lock()
    isClosed = true
    condition.broadcast()
    condition.unlock()
  }

  /// The cost is proportional to the number of waiting elements.
  private func removeAbandoned() {
    for turn in turns {
      elements[turn]?.removeAll(where: isAbandoned)
      if elements[turn]?.isEmpty ?? true { elements[turn] = nil }
    }
    turns.removeAll { elements[$0] == nil }
    count = elements.values.reduce(0) { $0 + $1.count }
  }
}
