import Foundation
import MadangAPI
import MadangClient
import MadangTesting
import Testing

@Suite("MadangTesting")
struct MadangTestingTests {
  @Test("a test has a world with the people of its seed", .madang(seed: .courtyard))
  func courtyard() async throws {
    let mina = try await Madang.world.signIn("mina@example.com")
    let workspaces = try await mina.workspaces()
    #expect(workspaces.map(\.name).sorted() == ["Book club", "Weekend"])
    try await mina.close()
  }

  @Test("worlds of tests that run at the same time are apart", .madang(seed: .empty), arguments: 0..<20)
  func apart(_ index: Int) async throws {
    let client = Madang.world.makeClient()
    try await client.signUp(email: "only@example.com", password: "Passw0rd!", nickname: "\(index)")
    #expect(try await client.createWorkspace(name: "Only").name == "Only")
    #expect(try await client.workspaces().count == 1)
    try await client.close()
  }

  @Test("with a number everything is the same each time", arguments: 0..<2)
  func repeatable(_: Int) async throws {
    try await MadangWorld.with(.courtyard, number: 42) { world in
      let mina = try await world.signIn("mina@example.com")
      let id = try await mina.me().userID
      #expect(id == "be4afab3-9f5b-43aa-8ad8-584ee945ce0c", "\(id)")
      try await mina.close()
    }
  }

  @Test("the clock is the test's: tokens expire when it says so, and the client renews them", .madang(number: 1))
  func clock() async throws {
    let clock = Madang.world.clock
    let mina = try await Madang.world.signIn("mina@example.com")
    let before = clock.now
    clock.advance(by: .seconds(25 * 3600))
    #expect(clock.now.timeIntervalSince(before) == 25 * 3600)
    #expect(try await mina.workspaces().count == 2)
    clock.advance(by: .seconds(60 * 86_400))
    await #expect(throws: (any Error).self) { try await mina.workspaces() }
    try await mina.close()
  }

  @Test(
    "a client that goes by the server's time goes by the world's: it hears what is posted from now on",
    .madang(number: 1))
  func serverTime() async throws {
    let world = Madang.world
    let mina = try await world.signIn("mina@example.com")
    let weekend = try #require(try await mina.workspaces().first { $0.name == "Weekend" }).workspaceID
    let ios = try #require(try await mina.channels(in: weekend).first { $0.name == "ios" }).channelID
    var events = mina.watch([.channel(id: ios, workspace: weekend)]).makeAsyncIterator()
    #expect(try await events.next() == .live)
    let chat = try await world.person("joon").post("now", in: "Weekend/ios")
    #expect(try await events.next() == .chat(chat))
    try await mina.close()
  }

  @Test("a snapshot brings everything back", .madang(seed: .courtyard, number: 2))
  func snapshot() async throws {
    let world = Madang.world
    let mina = try await world.signIn("mina@example.com")
    try await world.snapshot("before")
    _ = try await mina.createWorkspace(name: "Gone")
    try await world.restore("before")
    #expect(try await mina.workspaces().count == 2)
    let error = await #expect(throws: MadangTestingError.self) { try await world.restore("never") }
    #expect(error?.description == "there is no snapshot 'never'; there are before")
    try await mina.close()
  }

  @Test("a seed that is wrong says in which line")
  func wrongSeed() async throws {
    let error = await #expect(throws: MadangTestingError.self) {
      try await MadangWorld(.text("people:\n  - {mail: a@b.co}"))
    }
    #expect(error?.description.hasPrefix("seed: line 2: a person has no field 'mail'") ?? false)
  }

  @Test("what happened is waited for, and held against what was expected", .madang(seed: .courtyard))
  func journal() async throws {
    let world = Madang.world
    let mina = try await world.signIn("mina@example.com")
    let before = world.journal.last
    async let read = world.journal.wait(
      for: .operation("workspaces").account("mina@example.com"), after: before, within: "60s")
    _ = try await mina.workspaces()
    let entry = try #require(try await read.first)
    #expect(entry.operation == "workspaces" && entry.status == 200 && entry.account == "mina@example.com")
    try await world.expect(
      [.once(.operation("workspaces")), .never(.operation("signOut"))], inOrder: true, only: true, after: before)
    #expect(try await world.journal.entries(.operation("sign*")).map(\.operation) == ["signIn"])
    let missing = await #expect(throws: MadangTestingError.self) {
      try await world.expect([.once(.operation("signOut"))], within: .milliseconds(50))
    }
    #expect(missing?.description.hasPrefix("missing: operation signOut, 0 of 1 came\nat ") ?? false)
    try await world.expect(
      [.atMost(1, .operation("signOut")), .times(0...3, .mail(to: "mina"))], within: .milliseconds(50))
    let late = await #expect(throws: MadangTestingError.self) {
      try await world.journal.wait(for: .push(), within: .milliseconds(50))
    }
    #expect(late?.description.hasPrefix("came 0 of 1 times within 0.05 seconds: kind push\nat ") ?? false)
    let unknown = await #expect(throws: MadangTestingError.self) { try await world.journal.entries(.operation("fly")) }
    #expect(unknown?.description.hasPrefix("operation: no edition has 'fly'") ?? false)
    try await mina.close()
  }
}

@Suite("MadangTesting: people who act")
struct MadangPeopleTests {
  @Test("people of the world act without signing in, and what the rules forbid has its code", .madang(number: 1))
  func person() async throws {
    let (world, joon) = (Madang.world, Madang.world.person("joon"))
    let mina = try await world.signIn("mina@example.com")
    let hello = try await joon.post("hello", in: "Weekend/ios", files: 1)
    #expect(hello.content == "hello" && hello.files.count == 1 && hello.sender.nickname == "Joon")
    let psst = try await joon.write("psst", to: "mina@example.com")
    #expect(psst.content == "psst" && psst.createdAt == "2026-01-05T09:00:00.000Z")
    let weekend = try #require(try await mina.workspaces().first { $0.name == "Weekend" })
    let ios = try #require(try await mina.channels(in: weekend.workspaceID).first { $0.name == "ios" })
    #expect(try await mina.history(of: .channel(id: ios.channelID, workspace: weekend.workspaceID)).last == hello)
    try await joon.join("Weekend/hiking")
    try await joon.leave("Weekend/hiking")
    let error = await #expect(throws: MadangTestingError.self) { try await joon.leave("Weekend/hiking") }
    #expect(error?.code == "E13")
    #expect(error?.description.hasPrefix("joon, leave Weekend/hiking: ") == true)
    let people = try await world.people()
    #expect(people.map(\.nickname) == ["Mina", "Joon", "소라", "Théo", "Guest"])
    #expect(people.first?.workspaces == ["Weekend", "Book club"])
    await #expect(throws: MadangTestingError.self) { try await world.person("nobody").join("Weekend") }
    try await mina.close()
  }

  @Test("scripts are started, awaited and stopped by name", .madang())
  func scripts() async throws {
    let scripts = Madang.world.scripts
    try await scripts.add(
      """
      - {name: answer, when: {chat: {from: mina, in: Weekend/ios}}, do: [{as: joon, post: "{text} too"}]}
      - {name: burst, as: [mina, joon], times: 3, do: [{post: "run {n}", in: Weekend/ios}]}
      """)
    try await scripts.start("answer")
    try await scripts.start("burst")
    #expect(try await scripts.finished("burst", within: .seconds(30)).runs == 3)
    // Mina writes the first and the third.
    #expect(try await scripts.ran("answer", 2, within: .seconds(30)).failed == 0)
    try await scripts.stop("answer")
    #expect(try await scripts.finished("answer", within: .seconds(30)).runs == 2)
    await #expect(throws: MadangTestingError.self) { try await scripts.start("nothing") }
    #expect(scripts.names == ["answer", "burst"])
    try await scripts.remove("answer")
    #expect(scripts.names == ["burst"])
    await #expect(throws: MadangTestingError.self) { try await scripts.ran("burst", 4, within: .milliseconds(20)) }
  }

  @Test("a world is written as a seed, of which another one is made", .madang(number: 4))
  func export() async throws {
    try await Madang.world.person("sora").post("so that it stays", in: "Weekend/hiking")
    let seed = try await Madang.world.exportSeed()
    try await MadangWorld.with(.text(seed), number: 4) { world in
      let mina = try await world.signIn("mina@example.com")
      let weekend = try #require(try await mina.workspaces().first { $0.name == "Weekend" })
      let hiking = try #require(try await mina.channels(in: weekend.workspaceID).first { $0.name == "hiking" })
      #expect(
        try await mina.history(of: .channel(id: hiking.channelID, workspace: weekend.workspaceID)).last?.content
          == "so that it stays")
      try await mina.close()
    }
  }
}
