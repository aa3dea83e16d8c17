import MadangServer
import NIOHTTP1
import Support
import Testing

@testable import MadangCore

@Suite("Keys of rooms", .timeLimit(.minutes(3)))
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
      let keys = RoomKeys()
      let one = try #require(try await keys.key(of: id(first), in: database))
      let two = try #require(try await keys.key(of: id(second), in: database))
      #expect(one < two)
      #expect(try await keys.key(of: .number(one), in: database) == one)
      #expect(try await keys.key(of: .channel(named: ["web"], in: id(w)), in: database) == two)
      #expect(try await keys.key(of: .uuid("nothing"), in: database) == nil)
      _ = try await a.success(.DELETE, second)
      #expect(try await RoomKeys().key(of: id(second), in: database) == nil)
    }
  }
}
