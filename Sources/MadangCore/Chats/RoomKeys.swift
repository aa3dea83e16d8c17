import Storage
import Synchronization

/// The numbers of rooms that were posted to, by the names that requests have for them. Writes to a room go by its number, so
/// that all servers of one database lock rooms in one order.
final class RoomKeys: Sendable {
  private static let limit = 100_000

  private let numbers = Mutex<[Reference: Int64]>([:])

  /// The number of a room; nil if there is none of this name. A channel that was renamed since may go by its former number,
  /// which costs waiting and nothing else.
  nonisolated(nonsending) func key(of reference: Reference, in database: Database) async throws -> Int64? {
    if case .number(let number) = reference { return number }
    if let number = numbers.withLock({ $0[reference] }) { return number }
    guard let number = try await database.read({ try $0.roomNumber(reference) }) else { return nil }
    numbers.withLock { numbers in
      if numbers.count >= Self.limit { numbers.removeAll() }
      numbers[reference] = number
    }
    return number
  }
}
