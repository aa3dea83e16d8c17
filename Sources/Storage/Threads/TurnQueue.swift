import DequeModule
import Foundation

/// A bounded queue from tasks to threads in which callers take turns: however many elements one of them puts in, the next
/// of another waits behind one of each only. Putting never waits, taking does.
///
/// `@unchecked Sendable`: all variables are touched only while `condition` is held.
final class TurnQueue<Element: Sendable>: @unchecked Sendable {
  private let condition = NSCondition()
  private var elements: [String: Deque<Element>] = [:]
  /// Those who have elements here, the next one first.
  private var turns = Deque<String>()
  private var count = 0
  private var isClosed = false
  private let limit: Int
  private let limitPerTurn: Int
  private let isAbandoned: @Sendable (Element) -> Bool

  /// - Parameter isAbandoned: whether nobody waits for an element any more; such elements do not count against limits.
  init(limit: Int, limitPerTurn: Int, isAbandoned: @escaping @Sendable (Element) -> Bool) {
    self.limit = limit
    self.limitPerTurn = limitPerTurn
    self.isAbandoned = isAbandoned
  }

  func put(_ element: Element, turn: String) throws(StorageError) {
    condition.lock()
    defer { condition.unlock() }
    guard !isClosed else { throw StorageError(.closed, "closed") }
    if count >= limit || elements[turn]?.count ?? 0 >= limitPerTurn { removeAbandoned() }
    guard count < limit else { throw StorageError(.overloaded, "more than \(limit) operations are waiting") }
    guard elements[turn]?.count ?? 0 < limitPerTurn else {
      throw StorageError(.overloaded, "more than \(limitPerTurn) operations of one caller are waiting")
    }
    if elements[turn] == nil { turns.append(turn) }
    elements[turn, default: []].append(element)
    count += 1
    condition.signal()
  }

  /// Waits for an element. Nil when closed and empty.
  func take() -> Element? {
    condition.lock()
    defer { condition.unlock() }
    while count == 0 {
      if isClosed { return nil }
      condition.wait()
    }
    guard let turn = turns.popFirst(), let element = elements[turn]?.popFirst() else { return nil }
    count -= 1
    if elements[turn]?.isEmpty ?? true { elements[turn] = nil } else { turns.append(turn) }
    return element
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

  private func removeAbandoned() {
    for turn in turns {
      elements[turn]?.removeAll(where: isAbandoned)
      if elements[turn]?.isEmpty ?? true { elements[turn] = nil }
    }
    turns.removeAll { elements[$0] == nil }
    count = elements.values.reduce(0) { $0 + $1.count }
  }
}
