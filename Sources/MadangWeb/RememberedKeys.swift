/// A key that an account chose.
struct AccountKey: Hashable, Sendable {
  let account: Int64
  let text: String
}

/// Values by keys of accounts, within limits: the oldest are forgotten first. Each account has a share of its own, so that it cannot
/// displace many keys of others.
struct RememberedKeys<Value: Sendable>: Sendable {
  struct Limits: Sendable {
    var memory: Duration = .seconds(600)
    var keys = 10_000
    /// In bytes.
    var size = 16 << 20
    var keysOfAccount = 100
    var sizeOfAccount = 1 << 20
  }

  private struct Item {
    let value: Value
    let size: Int
    let at: ContinuousClock.Instant
    let number: Int
  }

  private struct Share {
    /// The oldest first.
    var keys: [AccountKey] = []
    var size = 0
  }

  private let limits: Limits
  private var items: [AccountKey: Item] = [:]
  private var shares: [Int64: Share] = [:]
  /// The oldest first from `oldest` on. Some may be forgotten already, or have a newer value.
  private var order: [(key: AccountKey, number: Int)] = []
  private var oldest = 0
  private var last = 0
  private var size = 0

  init(_ limits: Limits = Limits()) { self.limits = limits }

  var count: Int { items.count }

  subscript(key: AccountKey) -> Value? { items[key]?.value }

  /// - Parameter size: Of the value, in bytes.
  mutating func keep(_ value: Value, _ key: AccountKey, size: Int, at now: ContinuousClock.Instant) {
    remove(key)
    last += 1
    items[key] = Item(value: value, size: size, at: now, number: last)
    order.append((key, last))
    self.size += size
    shares[key.account, default: Share()].keys.append(key)
    shares[key.account]?.size += size
    while let share = shares[key.account],
      share.keys.count > limits.keysOfAccount || share.size > limits.sizeOfAccount, let first = share.keys.first
    {
      remove(first)
    }
    forget(before: now - limits.memory)
  }

  /// Forgets the oldest: all before a time, and the excess.
  private mutating func forget(before time: ContinuousClock.Instant) {
    while oldest < order.count {
      let (key, number) = order[oldest]
      if let item = items[key], item.number == number {
        guard item.at < time || items.count > limits.keys || size > limits.size else { break }
        remove(key)
      }
      oldest += 1
    }
    guard oldest > order.count / 2 || order.count > 2 * limits.keys else { return }
    order = order[oldest...].filter { items[$0.key]?.number == $0.number }
    oldest = 0
  }

  private mutating func remove(_ key: AccountKey) {
    guard let item = items.removeValue(forKey: key) else { return }
    size -= item.size
    shares[key.account]?.size -= item.size
    if let index = shares[key.account]?.keys.firstIndex(of: key) { shares[key.account]?.keys.remove(at: index) }
    if shares[key.account]?.keys.isEmpty == true { shares[key.account] = nil }
  }
}
