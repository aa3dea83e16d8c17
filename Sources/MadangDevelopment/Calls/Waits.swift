import MadangServer
import Synchronization

/// The calls about one server that wait until something has happened there. Each looks whenever anything happens.
package final class Waits: Sendable {
  /// The most at a time, unless somebody says otherwise.
  package static let limit = 1000

  private let limit: Int
  private let underWay = Mutex(0)

  package init(limit: Int = Waits.limit) { self.limit = limit }

  /// Has a call wait, as long as its client does. Throws `BadCall` if as many wait already as may, and ``WorldError`` if the
  /// client has left.
  func wait<Value: Sendable>(
    _ call: DevelopmentCall, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    let isFull = underWay.withLock { underWay in
      guard underWay < limit else { return true }
      underWay += 1
      return false
    }
    guard !isFull else {
      throw BadCall("wait: \(limit) calls wait here already; end some of them, or ask without waiting")
    }
    defer { underWay.withLock { $0 -= 1 } }
    return try await call.whileClientWaits(body)
  }
}
