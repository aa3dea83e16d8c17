import Foundation

/// Values up to a total size; the least recently used is removed first.
struct RecentlyUsed<Value> {
  private struct Entry {
    let value: Value
    let size: Int
    var use: Int
    var date: Date
  }

  private let limit: Int
  private var entries: [String: Entry] = [:]
  /// Keys in the order of their last use.
  private var order: [(use: Int, key: String)] = []
  private var uses = 0
  private(set) var size = 0

  init(limit: Int) { self.limit = limit }

  mutating func use(_ key: String, at date: Date) -> Value? {
    guard let value = entries[key]?.value else { return nil }
    entries[key]?.date = date
    stamp(key)
    return value
  }

  /// - Returns: The keys that were removed, perhaps including the new one.
  @discardableResult
  mutating func insert(_ value: Value, for key: String, size: Int, at date: Date) -> [String] {
    remove(key)
    entries[key] = Entry(value: value, size: size, use: 0, date: date)
    self.size += size
    stamp(key)
    return removeOldest { $0.size > $0.limit }
  }

  @discardableResult
  mutating func remove(olderThan date: Date) -> [String] {
    removeOldest { cache in cache.oldest.map { $0.date < date } ?? false }
  }

  mutating func remove(_ key: String) {
    if let entry = entries.removeValue(forKey: key) { size -= entry.size }
  }

  mutating func removeAll() { self = RecentlyUsed(limit: limit) }

  private mutating func stamp(_ key: String) {
    uses += 1
    entries[key]?.use = uses
    order.append((uses, key))
    // Stale stamps are dropped when they reach the front; many uses of few keys must not pile them up.
    if order.count > 64 + 4 * entries.count { order.removeAll { entries[$0.key]?.use != $0.use } }
  }

  /// The least recently used entry; drops stale stamps in front of it.
  private var oldest: (key: String, date: Date)? {
    mutating get {
      let stale = order.prefix { entries[$0.key]?.use != $0.use }.count
      order.removeFirst(stale)
      return order.first.flatMap { first in entries[first.key].map { (first.key, $0.date) } }
    }
  }

  private mutating func removeOldest(while isNeeded: (inout Self) -> Bool) -> [String] {
    var removed: [String] = []
    while isNeeded(&self), let oldest {
      remove(oldest.key)
      removed.append(oldest.key)
    }
    return removed
  }
}
