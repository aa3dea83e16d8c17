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
      try call.refuseQuery(besides: ["after"] + Wait.names)
      let (id, wait) = (try after(query, "notification"), try Wait(call))
      return .json(
        try await waits.wait(call, wait) { [standIns] in
          await standIns.pushes.list(after: id, wait.count, within: wait.time)
        })
    case (.get, "mails"):
      try call.refuseQuery(besides: ["after", "to"] + Wait.names)
      let (id, to, wait) = (try after(query, "mail"), query["to"], try Wait(call))
      let mails = try await waits.wait(call, wait) { [standIns] in
        await standIns.mails.list(after: id, to: to, wait.count, within: wait.time)
      }
      return .json(try WireEncoder.encode(mails))
    default: return nil
    }
  }

  private func after(_ query: RequestTarget, _ what: String) throws(BadCall) -> Int {
    guard let after = Int(query["after"] ?? "0"), after >= 0 else {
      throw BadCall("after: the id of a \(what), a whole number from 0")
    }
    return after
  }
}
