import Hummingbird
import MadangAPI
import MadangServer

/// Calls about stand-ins: `POST /_dev/payments`, `POST /_dev/social-tokens`, `GET /_dev/pushes`, `GET /_dev/mails`.
struct StandInCalls {
  let standIns: StandIns

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
      try call.refuseQuery(besides: ["after"])
      return .json(standIns.pushes.list(after: try after(query, "notification")))
    case (.get, "mails"):
      try call.refuseQuery(besides: ["after", "to"])
      return .json(
        try WireEncoder.encode(standIns.mails.list(after: try after(query, "mail"), to: query["to"])))
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
