import Hummingbird
import MadangAPI
import MadangServer

/// Calls about stand-ins: `POST /_dev/payments`, `POST /_dev/social-tokens`, `GET /_dev/pushes`, `GET /_dev/mails`.
struct StandInCalls {
  let standIns: StandIns
  let waits: Waits

  /// The largest body, in bytes.
  private static let maxBody = 64 * 1024

  /// The answer; nil if it has no such path. Throws `BadCall`.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    let query = RequestTarget(call.request.head.path ?? "")
    switch (call.method, call.path.joined(separator: "/")) {
    case (.post, "payments"):
      try call.refuseQuery()
      return .json(
        try WireEncoder.encode(try standIns.record(try await call.body(atMost: Self.maxBody))))
    case (.post, "social-tokens"):
      try call.refuseQuery()
      return .json(try WireEncoder.encode(try standIns.issue(try await call.body(atMost: Self.maxBody))))
    case (.get, "pushes"):
      try call.refuseQuery(besides: ["after", "wait", "count"])
      let (id, wait) = (try after(query, "notification"), try Wait(query))
      return .json(
        try await self.wait(call, wait) { [standIns] in
          await standIns.pushes.list(after: id, wait.count, within: wait.time)
        })
    case (.get, "mails"):
      try call.refuseQuery(besides: ["after", "to", "wait", "count"])
      let (id, to, wait) = (try after(query, "mail"), query["to"], try Wait(query))
      let mails = try await self.wait(call, wait) { [standIns] in
        await standIns.mails.list(after: id, to: to, wait.count, within: wait.time)
      }
      return .json(try WireEncoder.encode(mails))
    default: return nil
    }
  }

  /// How long to wait for how many.
  private struct Wait: Sendable {
    let count: Int
    let time: Duration

    /// Throws `BadCall`.
    init(_ query: RequestTarget) throws(BadCall) {
      time =
        try query["wait"].map { text throws(BadCall) in
          try GivenTime.duration(text, of: "wait", limit: GivenTime.longest)
        } ?? .zero
      guard let count = Int(query["count"] ?? "1"), (0...1000).contains(count) else {
        throw BadCall("count: how many to wait for, a whole number from 0 to 1000")
      }
      self.count = count
    }
  }

  private func wait<Value: Sendable>(
    _ call: DevelopmentCall, _ wait: Wait, _ body: @escaping @Sendable () async -> Value
  ) async throws -> Value {
    guard wait.time > .zero else { return await body() }
    return try await waits.wait(call, body)
  }

  private func after(_ query: RequestTarget, _ what: String) throws(BadCall) -> Int {
    guard let after = Int(query["after"] ?? "0"), after >= 0 else {
      throw BadCall("after: the id of a \(what), a whole number from 0")
    }
    return after
  }
}
