import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore
import MadangServer
import SocketIOProtocol

/// Calls about worlds: `/_dev/worlds` at any server of the process; `/_dev/reset` and `/_dev/snapshots` at a world's own port.
struct WorldCalls: Sendable {
  let worlds: Worlds

  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.path.first == "worlds" else { return nil }
    switch (call.method, call.path.count) {
    case (.get, 1): return try await call.answer { worlds.all.map(WorldSummary.init) }
    case (.post, 1):
      return try await call.answer("name", "number", "port", "ttl") {
        let bytes = try await call.bytes(atMost: DevelopmentCall.maxLongBody)
        let world = try await Documents.shared.holding(bytes.count) {
          let new = try NewWorld.of(call, bytes)
          return try await call.whileClientWaits {
            try await worlds.make(try await new.plan())
          } undo: { world in
            _ = await worlds.remove(world.id)
          }
        }
        return WorldSummary(world)
      }
    case (_, 1): return nil
    default: break
    }
    let named = worlds.worlds(named: call.path[1].lowercased())
    guard let world = named.first else { throw worlds.absence(of: call.path[1].lowercased()) }
    guard named.count == 1 else {
      let ids = named.map(\.id).joined(separator: ", ")
      throw WorldError("'\(call.path[1])' is the name of several worlds; give the id of one: \(ids)")
    }
    world.lease?.renew()
    switch (call.method, call.path.count) {
    case (.get, 2): return try await call.answer { WorldSummary(world) }
    case (.delete, 2): return try await call.done { _ = await worlds.remove(world.id) }
    case (_, 2): return nil
    default: return try await world.kit.respond(to: call.below(2, worldPort: world.port))
    }
  }
}

extension World {
  /// The answer to a call about this world itself, not its server; nil if it has no such path.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    switch (call.method, call.path.first, call.path.count) {
    case (.get, "world", 1): return try await call.answer { WorldSummary(self) }
    case (.get, "about", 1): return try await call.answer { About(self) }
    case (.post, "reset", 1):
      return try await call.answer {
        try await reset(within: try await call.body(Return.self).limit())
        return WorldSummary(self)
      }
    case (.get, "snapshots", 1): return try await call.answer { snapshots }
    case (.post, "snapshots", 1):
      return try await call.answer {
        let name = try await call.body(NewSnapshot.self).name
        try GivenName.check(name)
        guard !name.contains("/") else { throw WorldError("name: 1 to 100 characters without /") }
        try await snapshot(name)
        return snapshots
      }
    case (.delete, "snapshots", 2):
      return try await call.answer {
        try removeSnapshot(call.path[1])
        return snapshots
      }
    case (.post, "snapshots", 3) where call.path[2] == "restore":
      return try await call.answer {
        try await restore(call.path[1], within: try await call.body(Return.self).limit())
        return WorldSummary(self)
      }
    default: return nil
    }
  }
}

private struct NewWorld: CallFields, Sendable {
  static let names = ["seed", "name", "number", "port", "settings", "ttl"]

  let seed: JSONText?
  let name: String?
  let number: Double?
  let port: Int?
  let settings: GivenSettings?
  let ttl: GivenTime?

  /// From fields in JSON; or from a seed as the body, with the other fields as parameters.
  static func of(_ call: DevelopmentCall, _ bytes: [UInt8]) throws -> NewWorld {
    let parameters = ["name", "number", "port", "ttl"].filter { call.query($0) != nil }
    guard call.hasSeed(as: bytes) else {
      guard let parameter = parameters.first else { return try CallBody.fields(of: bytes) }
      throw BadCall("\(parameter): is a parameter only if the body is a seed in YAML; write it into the body")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw BadCall("the body is not UTF-8") }
    func number<Number>(_ name: String, _ type: (String) -> Number?) throws -> Number? {
      try call.query(name).map { text in
        guard let number = type(text) else { throw BadCall("\(name): a whole number from 0") }
        return number
      }
    }
    let ttl = try call.query("ttl").map { text in
      guard let time = GivenTime(text) else { throw BadCall("ttl: \(GivenTime.form)") }
      return time
    }
    return NewWorld(
      seed: .text(text), name: call.query("name"), number: try number("number") { UInt64($0).map { Double($0) } },
      port: try number("port") { Int($0) }, settings: nil, ttl: ttl)
  }

  private static func read(_ text: String) async throws -> Seed {
    try await Documents.shared.read { try Seed(text, isCancelled: $0) }
  }

  func plan() async throws -> WorldPlan {
    let shipped = Seed.Shipped.allCases.map(\.rawValue)
    let seed: Seed
    switch self.seed {
    case nil: seed = try Seed(.empty)
    case .text(let text):
      if text.utf8.contains(where: { ":{".utf8.contains($0) }) {
        seed = try await Self.read(text)
      } else if text.isCheapToCompare, let shipped = Seed.Shipped(rawValue: text) {
        seed = try Seed(shipped)
      } else {
        let (guess, known) = (Spelling.guess(text, among: shipped), shipped.joined(separator: ", "))
        throw WorldError(
          """
          seed: '\(BadCall.shortened(text))' does not exist\(guess.isEmpty ? ";" : guess) there are \(known), or pass a seed \
          itself
          """)
      }
    case .object(let json): seed = try await Self.read(json)
    }
    guard (0...65_535).contains(port ?? 0) else { throw WorldError("port: 0 to 65535") }
    if let name {
      try GivenName.check(name)
      guard !Worlds.isID(name.lowercased()) else {
        throw WorldError("name: '\(name)' looks like an id; choose another name")
      }
    }
    var plan = WorldPlan(seed: seed)
    plan.number = try number.map { number in
      guard let whole = UInt64(exactly: number) else { throw WorldError("number: a whole number from 0") }
      return whole
    }
    (plan.name, plan.port) = (name, port ?? 0)
    plan.settings = settings?.settings ?? WorldSettings()
    plan.ttl = try ttl?.duration(of: "ttl", atLeast: WorldLease.shortest, limit: WorldLease.longest)
    return plan
  }
}

extension DevelopmentCall {
  /// Whether a body is a seed itself: by its type, or because it has fields and does not begin as JSON.
  fileprivate func hasSeed(as body: [UInt8]) -> Bool {
    if request.headers[.contentType]?.lowercased().contains("yaml") ?? false { return true }
    guard let first = body.first(where: { !" \t\r\n".utf8.contains($0) }) else { return false }
    return !"{[\"".utf8.contains(first) && body.contains(UInt8(ascii: ":"))
  }
}

/// Names that callers give to worlds and snapshots.
private enum GivenName {
  /// A request with a host is compared with the names of all worlds.
  private static let maxSize = 1000

  /// Throws ``WorldError``.
  static func check(_ name: String) throws(WorldError) {
    guard name.utf8.count <= maxSize, name.isCheapToCompare, (1...100).contains(name.count) else {
      throw WorldError("name: 1 to 100 characters, \(maxSize) bytes at most, and few combining marks on a letter")
    }
    guard ![".", ".."].contains(name) else {
      throw WorldError("name: clients take '\(name)' out of paths; choose another name")
    }
  }
}

private struct NewSnapshot: CallFields {
  static let names = ["name"]

  let name: String
}

/// How a world returns to another moment.
private struct Return: CallFields {
  static let names = ["wait"]

  let wait: GivenTime?

  func limit() throws -> Duration {
    try wait?.duration(of: "wait", limit: World.longestCallLimit) ?? World.callLimit
  }
}
