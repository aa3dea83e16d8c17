import MadangAPI
import MadangServer
import Synchronization

/// The fields `wait` and `count` of a call's query: how long to wait for how many.
struct Wait: Sendable {
  static let names = ["wait", "count"]
  private static let maxCount = 1000

  let count: Int
  let time: Duration

  /// Throws `BadCall`.
  init(_ call: DevelopmentCall) throws(BadCall) {
    time = try Self.time(call)
    guard call.query("wait") != nil || call.query("count") == nil else {
      throw BadCall("count: needs 'wait', such as wait=5s")
    }
    guard let count = Int(call.query("count") ?? "1"), (0...Self.maxCount).contains(count) else {
      throw BadCall("count: how many to wait for, a whole number from 0 to \(Self.maxCount)")
    }
    self.count = count
  }

  /// The field `wait`; zero without it.
  static func time(_ call: DevelopmentCall) throws(BadCall) -> Duration {
    guard let text = call.query("wait") else { return .zero }
    return try GivenTime.duration(text, of: "wait", limit: GivenTime.longest)
  }
}

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

  /// The same for a call that need not wait.
  func wait<Value: Sendable>(
    _ call: DevelopmentCall, _ wait: Wait, _ body: @escaping @Sendable () async throws -> Value
  ) async throws -> Value {
    guard wait.time > .zero else { return try await body() }
    return try await self.wait(call, body)
  }
}
