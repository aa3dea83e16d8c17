import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore

@Suite("Keys of rooms", .timeLimit(.minutes(5)))
struct RoomKeysTests {
  @Test(
    "a room has one key before the first post, by whichever name it is called",
    arguments: TestEngine.available)
  func numbers(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let w = try await a.workspace()
      let id = { (path: String) in Reference.uuid(path.split(separator: "/").last.map(String.init) ?? "") }
      let first = try await a.channel("ios", in: w)
      let second = try await a.channel("web", in: w)
      let database = world.server.madang.database
      let key = { (reference: Reference, keys: RoomKeys) in
        try await keys.key(of: reference) { try await database.read { try $0.roomNumber(reference) } }
      }
      let keys = RoomKeys()
      let one = try #require(try await key(id(first), keys))
      let two = try #require(try await key(id(second), keys))
      #expect(one < two)
      #expect(try await key(.number(one), keys) == one)
      #expect(try await key(.channel(named: ["web"], in: id(w)), keys) == two)
      #expect(try await key(.uuid("nothing"), keys) == nil)
      _ = try await a.success(.DELETE, second)
      #expect(try await key(id(second), RoomKeys()) == nil)
    }
  }
}
