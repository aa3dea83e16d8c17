import Foundation
import MadangAPI
import NIOCore
import NIOHTTP1
import NIOPosix
import Storage
import Support
import Synchronization
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Long lists", .timeLimit(.minutes(5)))
struct LongListsTests {
  /// A workspace with channels, members, direct messages and other workspaces of its owner.
  private static func scene(_ world: World, _ edition: EditionName) async throws -> (TestPerson, workspace: String) {
    let mina = try await world.signUp("Mina", through: edition)
    let workspace = try await mina.workspace()
    for number in 0..<3 {
      _ = try await mina.workspace("Elsewhere \(number)")
      let other = try await world.signUp("Friend\(number)", through: edition)
      try await mina.invite(other, to: workspace)
      let room = try await mina.directMessage(with: other, in: workspace)
      if number == 1, edition == .october2024 { _ = try await mina.say("hi", in: room) }
      let channel = try await mina.channel("room \(number)", in: workspace)
      _ = try await other.get("\(channel)/chats")
    }
    return (mina, workspace)
  }

  @Test(
    "the page size does not change the bytes of an answer",
    arguments: TestEngine.available, [EditionName.october2024, .january2024])
  func pages(_ engine: TestEngine, _ edition: EditionName) async throws {
    var settings = World.settings
    settings.domain.coins.workspace = 0
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      let (mina, workspace) = try await Self.scene(world, edition)
      let rooms = try #require(try await mina.get("\(workspace)/channels").list)
      let channel = edition == .october2024 ? rooms[0]["channel_id"]?.string ?? "" : "room%202"
      var paths = [
        "workspaces", workspace, "\(workspace)/channels", "\(workspace)/dms", "\(workspace)/members",
        "\(workspace)/search?keyword=room", "\(workspace)/search?keyword=FRIEND", "\(workspace)/search?keyword=2",
        "\(workspace)/search?keyword=none", "\(workspace)/channels/\(channel)",
        "\(workspace)/channels/\(channel)/chats",
        "\(workspace)/channels/\(channel)/members",
      ]
      paths.append(edition == .october2024 ? "\(workspace)/my-channels" : "\(workspace)/channels/my")
      var whole: [String: [UInt8]] = [:]
      for path in paths {
        let answer = try await mina.call(.GET, path)
        #expect(answer.status == 200, "\(path)")
        whole[path] = Array(answer.body)
      }
      for elements in 1...5 {
        for bytes in [1, 700, 65_536] {
          var domain = madang.settings
          (domain.listPage.elements, domain.listPage.bytes) = (elements, bytes)
          try await madang.change(to: domain, [:])
          for path in paths {
            let answer = try await mina.call(.GET, path)
            #expect(Array(answer.body) == whole[path], "\(path) in pages of \(elements) elements, \(bytes) bytes")
          }
        }
      }
      // Leaving answers the list without what was left.
      var domain = madang.settings
      (domain.listPage.elements, domain.listPage.bytes) = (1, 1)
      try await madang.change(to: domain, [:])
      let friend = try await world.signUp("Leaver", through: edition)
      try await mina.invite(friend, to: workspace)
      let joined = try await mina.channel("left soon", in: workspace)
      _ = try await friend.get("\(joined)/chats")
      let exit = edition == .october2024 ? "exit" : "leave"
      #expect(try await friend.get("\(joined)/\(exit)").list?.count == 1)
      #expect(try await friend.get("\(workspace)/\(exit)") == [])
    }
  }

  @Test(
    "a room that moves to the top while direct messages are read is neither skipped nor repeated",
    arguments: TestEngine.available)
  func movingRooms(_ engine: TestEngine) async throws {
    var settings = World.settings
    settings.domain.listPage.elements = 2
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      var rooms: [String] = []
      for number in 0..<7 {
        let other = try await world.signUp("Friend\(number)")
        try await mina.invite(other, to: workspace)
        rooms.append(try await mina.directMessage(with: other, in: workspace))
      }
      let principal = Principal(
        session: try await madang.session(refreshToken: mina.refreshToken, edition: "2024-10").id, edition: "2024-10")
      let id = workspace.split(separator: "/").last.map(String.init) ?? ""
      var page: Listing<DirectMessage>? = try await madang.directMessages(in: .uuid(id), as: principal)
      #expect(page?.keptBytes == 7 * 8)
      var found: [String] = []
      while let present = page {
        found += present.elements.map(\.id.uuid)
        _ = try await mina.say("moves", in: rooms[0])
        page = try await present.next(in: madang)
      }
      #expect(found == rooms.reversed().compactMap { $0.split(separator: "/").last.map(String.init) })
    }
  }

  /// Asks for something on a connection that is never read, and keeps it open while `body` runs.
  private static func withDeafClients(
    _ count: Int, of world: World, asking head: String, _ body: () async throws -> Void
  ) async throws {
    let port = Int(world.url.split(separator: ":").last ?? "") ?? 0
    var channels: [any NIOCore.Channel] = []
    for _ in 0..<count {
      let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .channelOption(.autoRead, value: false)
        .channelOption(.socketOption(.so_rcvbuf), value: 4096)
        .connect(host: "127.0.0.1", port: port).get()
      channels.append(channel)
      try await channel.writeAndFlush(ByteBuffer(string: head))
    }
    try await body()
    for channel in channels { try await channel.close() }
  }

  private static func held(_ world: World) async throws -> Int {
    let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
    let line = page.split(separator: "\n").first { $0.hasPrefix(#"madang_held{cost="memory"} "#) }
    return line.flatMap { Int($0.split(separator: " ").last ?? "") } ?? -1
  }

  @Test("unread bytes of long answers are counted and limited for each account")
  func heldBytes() async throws {
    var settings = World.settings
    settings.limits.memory = .init(perAddress: 500_000, total: 1 << 30)
    settings.callLimits.requests = 0
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let workspace = try await mina.workspace()
      let description = String(repeating: "긴", count: 1000)
      // Some megabytes, which no socket's buffers take.
      try await Self.insertChannels(2000, description, in: workspace, of: world)
      let host = world.url.split(separator: "/").last ?? ""
      let head =
        "GET /v1/\(workspace)/channels HTTP/1.1\r\nHost: \(host)\r\nSesacKey: \(EditionName.october2024.developmentKey)\r\n"
        + "Authorization: \(mina.token)\r\n\r\n"
      #expect(try await Self.held(world) == 0)
      try await Self.withDeafClients(20, of: world, asking: head) { () async throws in
        // Each counts a page; the others are refused.
        #expect(try await World.eventually { try await Self.held(world) > 400_000 })
        #expect(try await Self.held(world) <= 500_000)
        #expect(try await mina.code(.GET, "\(workspace)/channels") == "E98")
        // Short lists are answered.
        #expect(try await mina.code(.GET, "users/me") == nil)
        #expect(try await mina.code(.GET, "\(workspace)/members") == nil)
      }
      #expect(try await World.eventually { try await Self.held(world) == 0 })
      #expect(try await mina.get("\(workspace)/channels").list?.count == 2001)
      #expect(try await World.eventually { try await Self.held(world) == 0 })
    }
  }

  private static func insertChannels(
    _ count: Int, _ description: String, in workspace: String, of world: World
  ) async throws {
    let uuid = workspace.split(separator: "/").last.map(String.init) ?? ""
    try await world.server.madang.database.write { transaction in
      let (id, owner): (Int64, Int64) = try transaction.one(
        "SELECT id, owner_id FROM workspaces WHERE uuid = \(uuid)"
      ) { (try $0.get("id"), try $0.get("owner_id")) }
      for number in 0..<count {
        _ = try transaction.insertChannel(
          NewChannel(
            uuid: UUID().uuidString.lowercased(), workspace: id, name: "c\(number)", description: description,
            cover: nil, owner: owner, isDefault: false), now: Int64(number))
      }
    }
  }

  private final class Order: Sendable {
    let names = Mutex<[String]>([])
  }

  @Test("addresses take turns at reading pages")
  func turns() async throws {
    let turns = ListTurns(places: 1)
    let order = Order()
    let (gate, open) = AsyncStream<Void>.makeStream()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask { try await turns.run(KeyHash("first")) { for await _ in gate { break } } }
      #expect(try await World.eventually { turns.free == 0 })
      for (number, name) in ["a", "a", "a", "b", "c", "b"].enumerated() {
        group.addTask { try await turns.run(KeyHash(name)) { order.names.withLock { $0.append(name) } } }
        #expect(try await World.eventually { turns.waiting == number + 1 })
      }
      open.finish()
      try await group.waitForAll()
    }
    #expect(order.names.withLock(\.self) == ["a", "b", "c", "a", "b", "a"])
    #expect(turns.free == 1)
  }

  @Test("an account's amount also counts for its address, once")
  func account() {
    let ledger = Ledger([.memory: .init(perAddress: 10, total: 100)])
    let (account, here, there) = (KeyHash("account 1"), KeyHash("here"), KeyHash("there"))
    #expect(ledger.take(.memory, 6, for: here, and: account))
    #expect(ledger.totals == [.memory: 6])
    #expect(!ledger.take(.memory, 5, for: there, and: account))
    #expect(!ledger.take(.memory, 5, for: here))
    #expect(ledger.take(.memory, 10, for: there))
    ledger.giveBack(.memory, 6, for: here, and: account)
    #expect(ledger.totals == [.memory: 10])
    #expect(ledger.take(.memory, 10, for: here, and: account))
  }
}
