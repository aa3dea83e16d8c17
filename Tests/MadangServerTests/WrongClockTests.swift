import Foundation
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Synchronization
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Wrong clocks", .timeLimit(.minutes(5)))
struct WrongClockTests {
  private static let day: Int64 = 86_400_000

  /// Settings of a server without development mode, on loopback.
  private static func real(_ settings: ServerSettings) -> ServerSettings {
    var settings = settings
    settings.isDevelopment = false
    return settings
  }

  private static func dates(_ world: World, _ room: Int64) async throws -> [Int64] {
    try await world.server.madang.database.read {
      try $0.all("SELECT created_at FROM chats WHERE room_id = \(room) ORDER BY seq") { try $0.get("created_at") }
    }
  }

  @Test(
    "chats dated by a clock that was ahead are dated again in the same order",
    arguments: TestEngine.available, [500, 3])
  func ahead(_ engine: TestEngine, _ page: Int) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      let channel = try await mina.channel("ios", in: workspace)
      let other = try await mina.channel("quiet", in: workspace)
      func post(_ text: String, in channel: String) async throws -> JSON {
        try await mina.post("\(channel)/chats", ["content": .text(text)])
      }
      let start = world.clock.now
      _ = try await post("right", in: channel)
      _ = try await post("right", in: other)
      world.clock.set(start + 700 * Self.day)
      let ahead = try await world.signIn(mina, through: .october2024)
      for number in 0..<5 {
        _ = try await ahead.post("\(channel)/chats", ["content": .text("ahead \(number)")])
        world.clock.advance(milliseconds: 1000)
      }
      world.clock.set(start + 10_000)
      let again = try await world.signIn(mina, through: .october2024)
      for number in 0..<4 {
        _ = try await again.post("\(channel)/chats", ["content": .text("after \(number)")])
      }
      let madang = world.server.madang
      let found = try #require(try await madang.futureChats())
      #expect(found.rooms == 1 && found.latest > start + 700 * Self.day)
      #expect(await DoctorTests.checks(world.server.settings).contains(.futureChats))

      let room = try #require(
        try await madang.database.read {
          try $0.first("SELECT room_id FROM chats GROUP BY room_id HAVING COUNT(*) > 1") {
            try $0.get("room_id") as Int64
          }
        })
      let before = try await Self.dates(world, room)
      let redated = try await madang.redateFutureChats(page: page, by: .hana)
      #expect(redated.rooms == 1 && redated.chats == 9)
      let after = try await Self.dates(world, room)
      #expect(after.count == before.count && after[0] == before[0])
      #expect(zip(after, after.dropFirst()).allSatisfy { $0 < $1 }, "dates rise: \(after)")
      #expect(try #require(after.last) <= world.clock.now)
      #expect(try await madang.futureChats() == nil)
      #expect(try await madang.redateFutureChats(by: .hana).chats == 0)
      world.clock.advance(milliseconds: 5)
      _ = try await again.post("\(channel)/chats", ["content": "right again"])
      #expect(try await Self.dates(world, room).last == world.clock.now)
      let audit = try await madang.latestAudit(of: .chatsRedated)
      #expect(audit != nil)
    }
  }

  @Test("more chats than milliseconds keep their order", arguments: TestEngine.available)
  func crowded(_ engine: TestEngine) async throws {
    try await World.run(engine) { world in
      let mina = try await world.signUp("Mina")
      let channel = try await mina.channel("ios", in: try await mina.workspace())
      let start = world.clock.now
      _ = try await mina.post("\(channel)/chats", ["content": "right"])
      world.clock.set(start + 700 * Self.day)
      let ahead = try await world.signIn(mina, through: .october2024)
      for _ in 0..<9 { _ = try await ahead.post("\(channel)/chats", ["content": "ahead"]) }
      world.clock.set(start + 2)
      #expect(try await world.server.madang.redateFutureChats(page: 4, by: .hana).chats == 9)
      let room: Int64? = try await world.server.madang.database.read {
        try $0.first("SELECT MAX(room_id) AS room FROM chats") { try $0.get("room") }
      }
      #expect(try await Self.dates(world, try #require(room)) == (0...9).map { start + $0 })
    }
  }

  @Test("a server with chats in the future says so at its start, with the cure")
  func told() async throws {
    try await BackupScene.place(.sqlite) { settings, _ in
      let time = Mutex(Clock.systemTime() + 700 * Self.day)
      let clock = Clock({ time.withLock(\.self) }, steady: { 0 })
      try await World.run(settings, clock: clock) { world in
        let mina = try await world.signUp("Mina")
        let channel = try await mina.channel("ios", in: try await mina.workspace())
        _ = try await mina.post("\(channel)/chats", ["content": "ahead"])
      }
      time.withLock { $0 -= 700 * Self.day }
      let log = LogRecorder()
      let madang = try await openMadang(
        settings, clock: clock, ids: IDSource(), pools: WorkerPools(settings), logger: log.logger, announce: { _ in },
        prepare: { _ in })
      let watch = ClockWatch(madang, isDevelopment: false, logger: log.logger)
      let running = Task { try await watch.run() }
      #expect(
        try await World.eventually {
          log.lines.contains {
            $0.contains("1 room ends with chats that are dated in the future") && $0.contains("redate")
          }
        })
      running.cancel()
      _ = await running.result
      for _ in 0..<3 { watch.posted(in: 7, dated: clock.now + 61_000) }
      #expect(log.lines.filter { $0.contains("a chat got a date in the future") }.count == 1)
      await madang.database.close()
    }
  }

  @Test("a clock that shows 1970 stops the start")
  func ancient() async throws {
    try await BackupScene.place(.sqlite) { settings, _ in
      let settings = Self.real(settings)
      let error = await #expect(throws: SetupError.self) {
        try await buildServer(settings, clock: Clock({ 86_400_000 }), isAlone: true, logger: BackupScene.logger)
      }
      #expect(error?.description.contains("this machine's clock says 1970-01-02T00:00:00.000Z") == true)
      #expect(error?.description.contains("timedatectl") == true)
    }
  }
}
