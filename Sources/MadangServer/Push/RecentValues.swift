/// The latest values by key; the oldest are removed beyond a limit.
package struct RecentValues<Value: Sendable>: Sendable {
  private var values: [String: Value] = [:]
  private var order: [String] = []
  private let limit: Int

  package init(limit: Int = 10_000) { self.limit = limit }

  package subscript(_ key: String) -> Value? { values[key] }

  package mutating func set(_ key: String, _ value: Value) {
    if values.updateValue(value, forKey: key) == nil { order.append(key) }
    // Half at a time, so that this is rare.
    guard order.count > limit else { return }
    for key in order.prefix(limit / 2) { values[key] = nil }
    order.removeFirst(limit / 2)
  }
}
