import HTTPTypes
import Hummingbird
import MadangServer

/// The calls under `/_dev/faults`, and `/_dev/restart`.
struct FaultCalls: Sendable {
  let faults: Faults
  let people: People

  /// The answer; nil if the path is none of these.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard let first = call.path.first, call.path.count <= 2 else { return nil }
    switch (call.method, first, call.path.dropFirst().first) {
    case (.get, "faults", nil): return try await call.answer { List(faults: faults.reports) }
    case (.post, "faults", nil):
      try call.refuseQuery()
      return try await add(try await call.bytes(atMost: DevelopmentCall.maxLongBody))
    case (.delete, "faults", nil): return try await call.done { faults.removeAll() }
    case (.delete, "faults", let id?):
      return try await call.done {
        guard let number = Int(id), faults.remove(number) else {
          throw BadCall("there is no fault \(id); GET /_dev/faults lists them")
        }
      }
    case (.post, "restart", nil):
      try call.refuseQuery()
      return try await restart(try await call.body())
    default: return nil
    }
  }

  private struct List: Encodable {
    let faults: [Faults.Report]
  }

  private struct ID: Encodable {
    let id: Int
  }

  private struct IDs: Encodable {
    let ids: [Int]
  }

  private func add(_ body: [UInt8]) async throws -> Response {
    if body.first(where: { !" \t\r\n".utf8.contains($0) }) == UInt8(ascii: "[") {
      var rules = try CallBody.decode([FaultRule].self, from: body)
      for index in rules.indices {
        try await people.spellOut(&rules[index].match.account, of: "[\(index)].match.account")
      }
      return try .development(IDs(ids: try await faults.add(rules)))
    }
    var rule = try CallBody.decode(FaultRule.self, from: body)
    try await people.spellOut(&rule.match.account, of: "match.account")
    return try .development(ID(id: try await faults.add(rule)))
  }

  private struct Restart: CallFields {
    static let names = ["downFor", "milliseconds"]
    static let whole = "a restart"

    let downFor: GivenTime?
    let milliseconds: Int?

    /// How long the server is unreachable.
    func time() throws(BadCall) -> Duration {
      let limit = Duration.milliseconds(FaultRule.Limits.restart)
      switch (downFor, milliseconds) {
      case (let time?, nil): return try time.duration(of: "downFor", limit: limit)
      case (nil, let number?):
        guard (0...FaultRule.Limits.restart).contains(number) else {
          throw BadCall("milliseconds: 0 to \(FaultRule.Limits.restart)")
        }
        return .milliseconds(number)
      case (nil, nil): throw BadCall("downFor: is missing; write how long the server is unreachable, like 2s")
      case (_?, _?): throw BadCall("milliseconds: is not allowed with 'downFor', which says the same; leave one out")
      }
    }
  }

  private func restart(_ call: Restart) async throws -> Response {
    let open = await faults.outage.begin(downFor: try call.time())
    var response = try Response.development(Done())
    let body = response.body
    // The caller gets the answer first; then its connection ends like all others.
    response.body = ResponseBody(contentLength: body.contentLength) { writer in
      try await body.write(writer)
      await Connections.close(open)
    }
    return response
  }
}
