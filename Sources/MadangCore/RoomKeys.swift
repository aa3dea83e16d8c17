import Synchronization

/// Caches the numbers of rooms by the names that requests use. Writes to a room are keyed by its number, so that all servers of a database
/// lock rooms in the same order.
final class RoomKeys: Sendable {
  private static let limit = 100_000

  private let numbers = Mutex<[Reference: Int64]>([:])

  /// The number of a room; nil if no room has this name. May return the former room of a name after a renaming; the only cost is waiting.
  /// - Parameter read: Reads the number if it is not known.
  nonisolated(nonsending) func key(
    of reference: Reference, _ read: nonisolated(nonsending) () async throws -> Int64?
  ) async throws -> Int64? {
    if case .number(let number) = reference { return number }
    if let number = numbers.withLock({ $0[reference] }) { return number }
    guard let number = try await read() else { return nil }
    numbers.withLock { numbers in
      if numbers.count >= Self.limit { numbers.removeAll() }
      numbers[reference] = number
    }
    return number
  }
}
