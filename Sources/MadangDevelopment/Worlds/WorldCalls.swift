import Foundation
import HTTPTypes
import Hummingbird
import MadangAPI
import MadangCore

/// Calls about worlds: `/_dev/worlds` at any server of the process; `/_dev/reset` and `/_dev/snapshots` at a world's own port.
struct WorldCalls: Sendable {
  let worlds: Worlds

  func respond(to call: DevelopmentCall) async throws -> Response? {
    guard call.path.first == "worlds" else { return nil }
    switch (call.method, call.path.count) {
    case (.get, 1): return try .development(worlds.all.map(WorldSummary.init))
    case (.post, 1):
      return try .development(WorldSummary(try await worlds.make(try await call.body(NewWorld.self).plan())))
    case (_, 1): return nil
    default: break
    }
    guard let world = worlds[call.path[1]] else { throw WorldError("there is no world '\(call.path[1])'") }
    switch (call.method, call.path.count) {
    case (.get, 2): return try .development(WorldSummary(world))
    case (.delete, 2):
      _ = await worlds.remove(world.id)
      return try .development(Done())
    case (_, 2): return nil
    default:
      let own = DevelopmentCall(method: call.method, path: Array(call.path.dropFirst(2)), request: call.request)
      return try await world.respond(to: own)
    }
  }
}

extension World {
  /// The answer to a call about this world; nil if there is none of this path.
  func respond(to call: DevelopmentCall) async throws -> Response? {
    switch (call.method, call.path.first, call.path.count) {
    case (.get, "world", 1): return try .development(WorldSummary(self))
    case (.post, "reset", 1):
      try await reset(keepsSockets: try await call.body(SocketsChoice.self).keeps)
      return try .development(WorldSummary(self))
    case (.get, "snapshots", 1): return try .development(snapshots)
    case (.post, "snapshots", 1):
      let name = try await call.body(NewSnapshot.self).name
      guard (1...100).contains(name.count), !name.contains("/") else {
        throw WorldError("name: 1 to 100 characters without /")
      }
      try await snapshot(name)
      return try .development(snapshots)
    case (.delete, "snapshots", 2):
      try removeSnapshot(call.path[1])
      return try .development(snapshots)
    case (.post, "snapshots", 3) where call.path[2] == "restore":
      try await restore(call.path[1], keepsSockets: try await call.body(SocketsChoice.self).keeps)
      return try .development(WorldSummary(self))
    case (_, "clock", 1): return try await ClockCalls(clock: clock).respond(to: call)
    case (_, "faults", _):
      return try await FaultCalls(faults: kit.faults).respond(call.method, call.path[...], call.request)
    default: return nil
    }
  }
}

/// A world, as calls tell of it.
struct WorldSummary: Codable {
  let id: String
  let name: String
  let url: String
  let port: Int
  let seed: String
  let number: UInt64?
  let now: String
  let snapshots: [String]

  init(_ world: World) {
    (id, name, url, port, number) = (world.id, world.name, world.url, world.port, world.number)
    (seed, now, snapshots) = (world.seed.name, WireDate.string(world.clock.now), world.snapshots)
  }
}

private struct NewWorld: Decodable {
  let seed: JSONText?
  let name: String?
  let number: UInt64?
  let port: Int?

  func plan() throws -> WorldPlan {
    let known = Seed.Shipped.allCases.map(\.rawValue).joined(separator: ", ")
    let seed: Seed
    switch self.seed {
    case nil: seed = try Seed(.empty)
    case .text(let text):
      if let shipped = Seed.Shipped(rawValue: text) {
        seed = try Seed(shipped)
      } else if text.contains(":") {
        seed = try Seed(text)
      } else {
        throw WorldError("seed: there is none called '\(text)'; there are \(known), or write one out")
      }
    case .object(let json): seed = try Seed(json)
    }
    guard (0...65_535).contains(port ?? 0) else { throw WorldError("port: 0 to 65535") }
    guard (1...100).contains(name?.count ?? 1) else { throw WorldError("name: 1 to 100 characters") }
    var plan = WorldPlan(seed: seed)
    (plan.name, plan.number, plan.port) = (name, number, port ?? 0)
    return plan
  }
}

private struct NewSnapshot: Decodable {
  let name: String
}

private struct SocketsChoice: Decodable {
  enum Choice: String, Decodable {
    case close, keep
  }

  let sockets: Choice?

  var keeps: Bool { sockets == .keep }
}
