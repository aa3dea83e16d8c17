import HTTPTypes
import Hummingbird

/// Calls about open sockets: `GET /_dev/sockets`, `DELETE /_dev/sockets` and `DELETE /_dev/sockets/SESSION`.
struct SocketCalls: Sendable {
  let sockets: Sockets
  let waits: Waits

  /// The answer; nil if it has no such path.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    switch (call.method, call.path.count) {
    case (.get, 1):
      try call.refuseQuery(besides: ["account"] + Wait.names)
      let (account, wait) = (call.query("account"), try Wait(call))
      return try .development(
        try await waits.wait(call, wait) { [sockets] in
          try await sockets.list(account: account, of: wait.count, within: wait.time)
        })
    case (.delete, 1):
      return try await call.answer("account") {
        CutSockets(cut: try await sockets.cut(account: call.query("account")))
      }
    case (.delete, 2): return try await call.done { try await sockets.cut(session: call.path[1]) }
    default: return nil
    }
  }
}

/// How many sockets a call ended.
package struct CutSockets: Codable, Sendable {
  package let cut: Int
}
