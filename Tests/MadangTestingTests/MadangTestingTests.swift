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
}
