import Foundation
import MadangAPI
import MadangCore
import MadangDevelopment
import NIOHTTP1
import SocketIOClient
import SocketIOProtocol
import SocketIOSupport
import Storage
import Support
import Testing

@Suite("Worlds", .timeLimit(.minutes(5)))
struct WorldsTests {
  /// What a client does, whose answers are to be the same each time.
  private static func script(_ url: String) async throws -> [String] {
    var answers: [String] = []
    let caller = Caller(url: url)
    var mina = caller
    func note(_ answer: Caller.Answer) { answers.append("\(answer.status) \(answer.body)") }
    let signIn = try await caller.call(.POST, "users/login", #"{"email":"mina@example.com","password":"Passw0rd!"}"#)
    note(signIn)
    mina.token = (try signIn.object["token"] as? [String: Any])?["accessToken"] as? String
    note(
      try await caller.call(
        .POST, "users/join", #"{"email":"new@example.com","password":"Passw0rd!","nickname":"New"}"#))
    let workspaces = try await mina.call(.GET, "workspaces")
    note(workspaces)
    for workspace in try workspaces.list {
      let id = workspace["workspace_id"] as? String ?? ""
      let channels = try await mina.call(.GET, "workspaces/\(id)/channels")
      note(channels)
      for channel in try channels.list {
        let path = "workspaces/\(id)/channels/\(channel["channel_id"] as? String ?? "")/chats"
        note(try await mina.call(.GET, path))
        note(try await mina.call(.POST, path, #"{"content":"one more"}"#))
        note(try await mina.call(.GET, path))
      }
    }
    note(try await mina.call(.POST, "workspaces", #"{"name":"Mine","description":"x"}"#))
    note(try await mina.call(.GET, "users/me"))
    return answers
  }

  private static func expectSame(_ answers: [String], _ expected: [String]) {
    for (index, (answer, expected)) in zip(answers, expected).enumerated() where answer != expected {
      Issue.record("answer \(index):\n\(answer.prefix(2000))\ninstead of\n\(expected.prefix(2000))")
      return
    }
    #expect(answers.count == expected.count)
  }

  @Test(
    "a world keeps the mails it sends, whose links lead to it, also after it has returned to its start")
  func mails() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard))
      let caller = Caller(url: world.url)
      for isFirst in [true, false] {
        let answer = try await caller.call(.POST, "/password", #"{"email":"mina@example.com"}"#)
        #expect(answer.status == 200)
        #expect(
          try await Support.World.eventually {
            let mails = try await caller.call(.GET, "/_dev/mails?to=mina@example.com").list
            return mails.count == 1 && (mails[0]["body"] as? String)?.contains("\(world.url)/password/") == true
          })
        if isFirst { try await world.reset() }
      }
    }
  }

  @Test("equal seed and number give equal bytes; another number gives other ids")
  func repeatable() async throws {
    try await Scene.run { worlds in
      let first = try await worlds.make(try Scene.plan(.courtyard, number: 7))
      let second = try await worlds.make(try Scene.plan(.courtyard, number: 7))
      let other = try await worlds.make(try Scene.plan(.courtyard, number: 8))
      let answers = try await Self.script(first.url)
      #expect(answers.count > 12 && answers.allSatisfy { $0.hasPrefix("200 ") }, "\(answers)")
      Self.expectSame(try await Self.script(second.url), answers)
      #expect(try await Self.script(other.url) != answers)
    }
  }

  @Test("equal seed and number give equal bytes in another process's worlds")
  func repeatableAnew() async throws {
    var answers: [[String]] = []
    for _ in 0..<2 {
      try await Scene.run { worlds in
        answers.append(try await Self.script(try await worlds.make(try Scene.plan(.edge, number: 1)).url))
      }
    }
    Self.expectSame(answers[1], answers[0])
  }

  @Test("a reset world answers as a new one, byte by byte, whatever was done in it")
  func reset() async throws {
    try await Scene.run { worlds in
      let fresh = try await Self.script(try await worlds.make(try Scene.plan(.courtyard, number: 3)).url)
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 3))
      for _ in 0..<3 {
        Self.expectSame(try await Self.script(world.url), fresh)
        world.clock.advance(milliseconds: 40 * 86_400_000)
        world.clock.run(at: 5)
        let wrong = Caller(url: world.url)
        for _ in 0..<20 {
          _ = try await wrong.call(.POST, "users/login", #"{"email":"joon@example.com","password":"Wrong1234!"}"#)
        }
        try await world.reset()
      }
    }
  }

  @Test("worlds without a number have unique ids and real time")
  func unnumbered() async throws {
    try await Scene.run { worlds in
      let (first, second) = (
        try await worlds.make(try Scene.plan(.courtyard)), try await worlds.make(try Scene.plan(.courtyard))
      )
      let new = #"{"email":"new@example.com","password":"Passw0rd!","nickname":"New"}"#
      let one = try await Caller(url: first.url).call(.POST, "users/join", new)
      let two = try await Caller(url: second.url).call(.POST, "users/join", new)
      #expect(one.status == 200 && two.status == 200)
      #expect(try one.object["user_id"] as? String != two.object["user_id"] as? String)
      #expect(abs(Double(first.clock.now) / 1000 - Date().timeIntervalSince1970) < 10)
    }
  }

  @Test("snapshots keep a moment: rows, files, clock and ids")
  func snapshots() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 5))
      let mina = try await Caller(url: world.url).signedIn("mina@example.com")
      _ = try await mina.call(.POST, "workspaces", #"{"name":"Kept","description":"x"}"#)
      world.clock.advance(milliseconds: 3_600_000)
      try await world.snapshot("kept")
      let then = try await mina.call(.GET, "workspaces").body
      let before = try await Self.next(world)
      _ = try await mina.call(.POST, "workspaces", #"{"name":"Lost","description":"x"}"#)
      #expect(try await mina.call(.GET, "workspaces").body != then)
      try await world.restore("kept")
      #expect(try await mina.call(.GET, "workspaces").body == then, "the session is of the snapshot as well")
      #expect(world.clock.now == Seed.defaultStart + 3_600_000)
      #expect(try await Self.next(world) == before)
      #expect(world.snapshots == ["kept"])
      let me = try await mina.call(.GET, "users/me").object
      let picture = try #require(me["profileImage"] as? String)
      #expect(try await mina.call(.GET, String(picture.dropFirst())).status == 200)
      try await world.reset()
      #expect(try await mina.call(.GET, "workspaces").body.contains("E02"))
      await #expect(throws: WorldError.self) { try await world.restore("never") }
      try world.removeSnapshot("kept")
      #expect(world.snapshots == [])
    }
  }

  private static func next(_ world: MadangDevelopment.World) async throws -> String {
    try await Caller(url: world.url).call(
      .POST, "users/join", #"{"email":"next@example.com","password":"Passw0rd!","nickname":"Next"}"#
    ).body
  }

  @Test("a world that is removed leaves nothing: no port, no directory")
  func removal() async throws {
    try await Scene.run { worlds in
      var next: MadangDevelopment.World?
      // Once in a while a connection of another test gets the port first.
      for _ in 0..<5 where next == nil {
        let world = try await worlds.make(try Scene.plan(.empty))
        #expect(worlds.all.map(\.id) == [world.id])
        #expect(await worlds.remove(world.id))
        #expect(worlds.all.isEmpty)
        #expect(await !worlds.remove(world.id))
        await #expect(throws: WorldError.self) { try await world.reset() }
        var plan = try Scene.plan(.empty)
        plan.port = world.port
        next = try? await worlds.make(plan)
        #expect(next.map { $0.port == world.port } ?? true)
      }
      #expect(await worlds.remove(try #require(next).id), "somebody else can have the port")
    }
  }

  @Test("a fixed port is used, and a port in use is reported")
  func ports() async throws {
    try await Scene.run { worlds in
      var next: MadangDevelopment.World?
      // Once in a while a connection of another test gets the port first.
      for _ in 0..<5 where next == nil {
        let world = try await worlds.make(try Scene.plan(.empty))
        var plan = try Scene.plan(.empty)
        plan.port = world.port
        let error = await #expect(throws: (any Error).self) { try await worlds.make(plan) }
        #expect("\(error as Any)".contains("is in use"))
        _ = await worlds.remove(world.id)
        next = try? await worlds.make(plan)
        #expect(next.map { $0.port == world.port } ?? true)
      }
      #expect(next != nil)
    }
  }

  /// The next update of a namespace that is not about connecting again.
  private static func next(
    _ updates: inout AsyncThrowingStream<SocketIOClient.Update, any Error>.Iterator
  ) async throws -> String {
    while let update = try await updates.next() {
      switch update.kind {
      case .connected: return "connected"
      case .event(let event): return String(decoding: event.arguments.values[0], as: UTF8.self)
      case .refused(let refusal): return "refused: \(refusal.message)"
      case .disconnected: return "disconnected"
      case .waiting: continue
      }
    }
    return "ended"
  }

  private static func channel(_ name: String, _ mina: Caller) async throws -> (path: String, namespace: String) {
    for workspace in try await mina.call(.GET, "workspaces").list {
      let path = "workspaces/\(workspace["workspace_id"] as? String ?? "")/channels"
      for channel in try await mina.call(.GET, path).list where channel["name"] as? String == name {
        let id = channel["channel_id"] as? String ?? ""
        return ("\(path)/\(id)/chats", "/ws-channel-\(id)")
      }
    }
    throw WorldError(name)
  }

  @Test("sockets receive chats of their own world only, although all ids are equal; a reset closes them")
  func sockets() async throws {
    try await Scene.run { worlds in
      var streams: [AsyncThrowingStream<SocketIOClient.Update, any Error>.Iterator] = []
      var (clients, people, made) = ([SocketIOClient](), [Caller](), [MadangDevelopment.World]())
      for _ in 0..<2 {
        let world = try await worlds.make(try Scene.plan(.courtyard, number: 1))
        let mina = try await Caller(url: world.url).signedIn("mina@example.com")
        let room = try await Self.channel("ios", mina)
        let client = try SocketIOClient(url: world.url)
        Task { await client.run() }
        var updates = await client.updates(in: [room.namespace]).makeAsyncIterator()
        #expect(try await Self.next(&updates) == "connected")
        streams.append(updates)
        clients.append(client)
        people.append(mina)
        made.append(world)
      }
      let room = try await Self.channel("ios", people[0])
      let posted = try await people[0].call(.POST, room.path, #"{"content":"in the first"}"#).body
      let second = try await people[1].call(.POST, room.path, #"{"content":"in the second"}"#).body
      #expect(try await Self.next(&streams[0]) == posted)
      #expect(try await Self.next(&streams[1]) == second)
      try await made[0].reset()
      #expect(try await Self.next(&streams[0]) == "disconnected")
      let third = try await people[1].call(.POST, room.path, #"{"content":"goes on"}"#).body
      #expect(try await Self.next(&streams[1]) == third)
      for client in clients { await client.close() }
    }
  }

  @Test("a call that is running at a reset is answered by the former world")
  func callUnderWay() async throws {
    try await Scene.run { worlds in
      let world = try await worlds.make(try Scene.plan(.courtyard, number: 1))
      let mina = try await Caller(url: world.url).signedIn("mina@example.com")
      let room = try await Self.channel("ios", mina)
      try await withThrowingTaskGroup(of: Int.self) { group in
        for index in 0..<200 {
          group.addTask { try await mina.call(.POST, room.path, #"{"content":"\#(index)"}"#).status }
        }
        for _ in 0..<3 { try await world.reset(within: .seconds(60)) }
        // Answered before, or refused because the sessions have ended; never lost, never a failure of the server.
        for try await status in group { #expect([200, 400].contains(status)) }
      }
      #expect(try await Caller(url: world.url).signedIn("mina@example.com").token != nil)
    }
  }

  @Test("a world cannot be reset after its seed's files were removed; creating it again restores them")
  func removedBeginning() async throws {
    let worlds = try Worlds(logger: Scene.logger)
    let plan = try Scene.plan(.empty, number: 7)
    let first = try await worlds.make(plan)
    try FileManager.default.removeItem(at: first.home.deletingLastPathComponent().appending(path: "seed-1"))
    let error = await #expect(throws: WorldError.self) { try await first.reset() }
    #expect(error?.description.contains("Create the world again") == true)
    let second = try await worlds.make(plan)
    try await second.reset()
    await worlds.end()
  }

  @Test("a world that is removed while clients are connected logs no error")
  func quietEnd() async throws {
    let log = LogRecorder()
    let worlds = try Worlds(logger: log.logger)
    let world = try await worlds.make(try Scene.plan(.courtyard))
    _ = try await Caller(url: world.url).signedIn("mina@example.com")
    #expect(await worlds.remove(world.id))
    #expect(log.lines.filter { $0.contains("rror") } == [])
    await worlds.end()
  }

  @Test("leftovers of killed processes are removed; data of a running process stays")
  func leftovers() async throws {
    let places = [URL(filePath: "/dev/shm"), FileManager.default.temporaryDirectory]
      .filter { access($0.path, W_OK) == 0 }
    let run = UUID().uuidString.lowercased()
    func make(_ name: String, in place: URL, from date: Date) throws -> URL {
      let folder = place.appending(path: name + run)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      try Data().write(to: folder.appending(path: "lock"))
      try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: folder.path)
      return folder
    }
    let left = try places.flatMap { place in
      [
        try make("madang-worlds-", in: place, from: .now),
        try make("madang-new-world-", in: place, from: Date(timeIntervalSinceNow: -3600)),
      ]
    }
    let begun = try places.map { try make("madang-new-world-now-", in: $0, from: .now) }
    defer { for folder in left + begun { try? FileManager.default.removeItem(at: folder) } }
    let worlds = try Worlds(logger: Scene.logger)
    for folder in left { #expect(!FileManager.default.fileExists(atPath: folder.path), "\(folder.path)") }
    for folder in begun { #expect(FileManager.default.fileExists(atPath: folder.path), "\(folder.path)") }
    await worlds.end()
  }
}
