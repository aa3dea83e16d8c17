import MadangAPI
import MadangCore
import MadangServer
import Storage
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Push devices and claims", .timeLimit(.minutes(5)))
struct PushDeviceTests {
  /// A chat of Mina's in a channel where these people are, too.
  private static func chat(_ world: World, with people: [TestPerson]) async throws -> (Chat, ClaimedPush) {
    let mina = try await world.signUp("Mina")
    let workspace = try await mina.workspace()
    let channel = try await mina.channel("ios", in: workspace)
    for person in people {
      try await mina.invite(person, to: workspace)
      _ = try await person.get("\(channel)/chats")
    }
    _ = try await mina.say("hello", in: channel)
    try await PushScene.pushAll(world)
    let claimed = try await world.server.madang.claimPushes(limit: 1)
    return (try #require(claimed.first?.chat), claimed[0])
  }

  /// Gives a person more sessions, each with the given push token.
  private static func sessions(
    _ world: World, _ email: String, _ count: Int, _ token: @escaping @Sendable (Int) -> String
  ) async throws {
    try await world.server.madang.database.write { transaction in
      for number in 0..<count {
        try transaction.execute(
          """
          INSERT INTO sessions (user_id, edition, refresh_hash, refresh_expires_at, device_token, created_at, last_used_at)
          SELECT id, '2024-10', \("\(email) \(token(number)) \(number)"), \(Int64.max), \(token(number)), 0, 0
          FROM users WHERE email = \(email)
          """)
      }
    }
  }

  @Test(
    "each person's newest devices get a push, up to the setting",
    arguments: TestEngine.available)
  func newest(_ engine: TestEngine) async throws {
    try await PushScene.withoutQueue(engine) { (world) async throws in
      let people = [
        try await world.signUp("Joon"), try await world.signUp("Sora"), try await world.signUp("Dana"),
        try await world.signUp("Evan"),
      ]
      let (chat, _) = try await Self.chat(world, with: people)
      try await Self.sessions(world, people[0].email, 300) { "junk \($0)" }
      try await Self.sessions(world, people[1].email, 1) { _ in "old phone" }
      try await Self.sessions(world, people[1].email, 50) { _ in "phone" }
      try await Self.sessions(world, people[3].email, 1) { _ in "tablet" }
      let madang = world.server.madang
      let devices = try await madang.pushDevices(for: chat)
      #expect(devices.next == nil)
      #expect(
        devices.devices.map(\.token) == (290..<300).reversed().map { "junk \($0)" } + ["phone", "old phone", "tablet"])
    }
  }

  @Test("devices are read for some people at a time, each person once", arguments: TestEngine.available)
  func pages(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    settings.domain.pushPage = 2
    settings.domain.pushDevices = 3
    try await World.run(engine, settings: settings) { (world) async throws in
      var people: [TestPerson] = []
      for number in 0..<5 { people.append(try await world.signUp("P\(number)")) }
      let (chat, _) = try await Self.chat(world, with: people)
      for person in [people[1], people[4]] {
        try await Self.sessions(world, person.email, 5) { "\(person.email) \($0)" }
      }
      var (found, next, reads) = ([String](), Int64?(0), 0)
      while let person = next {
        let page = try await world.server.madang.pushDevices(for: chat, after: person)
        (found, next, reads) = (found + page.devices.map(\.token), page.next, reads + 1)
      }
      let expected = [people[1], people[4]].flatMap { person in [4, 3, 2].map { "\(person.email) \($0)" } }
      #expect(found == expected && reads == 3)
    }
  }

  @Test(
    "an unregistered device is forgotten, unless its session has registered another since",
    arguments: TestEngine.available)
  func forgotten(_ engine: TestEngine) async throws {
    let sender = FaultySender { device, _ in device == "fails" ? PushFailure.unregistered(status: 404) : nil }
    try await PushScene.withChat(engine, sender, chats: 3) { (world) async throws in
      #expect(try await PushScene.isEmpty(world))
      let madang = world.server.madang
      let left = try await madang.database.read {
        try $0.all("SELECT user_id, device_token FROM sessions WHERE device_token IS NOT NULL") { row in
          PushDevice(
            token: try row.get("device_token"), edition: "", person: try row.get("user_id"),
            registeredAt: world.clock.now)
        }
      }
      #expect(left.map(\.token) == ["works"])
      try await madang.forget([
        PushDevice(token: "an older one", edition: "", person: left[0].person, registeredAt: world.clock.now),
        // Registered again after the devices were read.
        PushDevice(token: "works", edition: "", person: left[0].person, registeredAt: world.clock.now - 1),
      ])
      #expect(try await Self.tokens(madang) == ["works"])
      try await madang.forget(left)
      #expect(try await Self.tokens(madang).isEmpty)
    }
    #expect(sender.tries("fails") == 1 && sender.told("works").count == 3)
  }

  private static func tokens(_ madang: Madang) async throws -> [String] {
    try await madang.database.read {
      try $0.all("SELECT device_token FROM sessions WHERE device_token IS NOT NULL") { try $0.get("device_token") }
    }
  }

  @Test(
    "pushes are claimed one chat of a room at a time, and rooms take turns",
    arguments: TestEngine.available)
  func heads(_ engine: TestEngine) async throws {
    try await PushScene.withoutQueue(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      for name in ["a", "b", "c"] {
        let channel = try await mina.channel(name, in: workspace)
        for number in 0..<3 { _ = try await mina.say("\(name)\(number)", in: channel) }
      }
      try await PushScene.pushAll(world)
      let madang = world.server.madang
      let first = try await madang.claimPushes(limit: 2)
      #expect(first.map(\.chat?.content) == ["a0", "b0"])
      try await madang.finish(first[0])
      let second = try await madang.claimPushes(limit: 2, after: first[1].room)
      #expect(second.map(\.chat?.content) == ["c0", "a1"])
      #expect(try await madang.claimPushes(limit: 10).isEmpty)
      // As programs before this one leave them: one room.
      _ = try await madang.database.write { try $0.execute("UPDATE push_outbox SET room_id = 0, claimed_until = 0") }
      #expect(try await madang.claimPushes(limit: 10, after: first[1].room).map(\.chat?.content) == ["a1"])
    }
  }

  @Test("the next waiting room is found by one step in an index", arguments: TestEngine.available)
  func plan(_ engine: TestEngine) async throws {
    try await PushScene.withoutQueue(engine) { (world) async throws in
      let database = world.server.madang.database
      let plan: [String] = try await database.write { transaction in
        let statement = Transaction.waitingPush(at: "\(Int64(1))", in: 0..<10)
        switch database.dialect {
        case .sqlite:
          return try transaction.all("EXPLAIN QUERY PLAN \(sql: statement)") { try $0.get("detail") }
        case .postgres:
          // A table without rows is cheaper to read whole.
          try transaction.execute("SET LOCAL enable_seqscan = off")
          return try transaction.all("EXPLAIN \(sql: statement)") { try $0.get("QUERY PLAN") }
        }
      }
      #expect(plan.contains { $0.contains("push_outbox_by_room") })
      #expect(!plan.contains { $0.contains("Sort") || $0.contains("TEMP B-TREE") || $0.contains("SCAN") })
    }
  }

  @Test("a claim ends although the database's clock was set back", arguments: TestEngine.available)
  func clockSetBack(_ engine: TestEngine) async throws {
    try await PushScene.withoutQueue(engine) { (world) async throws in
      let (_, push) = try await Self.chat(world, with: [])
      let madang = world.server.madang
      _ = try await madang.database.write {
        try $0.execute("UPDATE push_outbox SET claimed_until = claimed_until + 3600000")
      }
      let claimed = try await madang.claimPushes(limit: 1)
      #expect(claimed.count == 1 && claimed.allSatisfy { $0.until - push.until < Madang.pushClaim })
      #expect(try await madang.claimPushes(limit: 1).isEmpty)
    }
  }
}
