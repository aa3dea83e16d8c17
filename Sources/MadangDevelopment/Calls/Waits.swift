import MadangServer
import Synchronization

/// The calls that wait for an event at one server. Each looks again after every event.
package final class Waits: Sendable {
  /// The largest number of waiting calls, by default.
  package static let limit = 1000

  private let limit: Int
  private let underWay = Mutex(0)

  package init(limit: Int = Waits.limit) { self.limit = limit }

  /// Lets a call wait until its client leaves. Throws `BadCall` if too many calls are waiting, and ``WorldError`` if the
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
      throw BadCall("wait: \(limit) calls are waiting here already; end some of them, or call without 'wait'")
    }
    defer { underWay.withLock { $0 -= 1 } }
    return try await call.whileClientWaits(body)
  }
}
