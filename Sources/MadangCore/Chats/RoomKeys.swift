import Synchronization

/// What writes to one room have in common, however it is named: its number. A room that was not yet posted to is known by
/// its name only; two names may then go by two keys, which costs waiting and nothing else.
final class RoomKeys: Sendable {
  private static let limit = 100_000

  private let numbers = Mutex<[Reference: Int64]>([:])

  func key(of reference: Reference) -> Int64 {
    if case .number(let number) = reference { return number }
    return numbers.withLock { $0[reference] } ?? Int64(truncatingIfNeeded: reference.hashValue)
  }

  func learn(_ reference: Reference, is number: Int64) {
    if case .number = reference { return }
    numbers.withLock { numbers in
      if numbers.count >= Self.limit { numbers.removeAll() }
      numbers[reference] = number
    }
  }
}
