import MadangAPI
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

/// Many parallel calls on one object must end in a state that the rules allow, in any order.
@Suite("Parallel calls", .timeLimit(.minutes(5)))
struct ConcurrencyTests {
  static func members(_ person: TestPerson, _ path: String) async throws -> Set<String> {
    Set(try await person.get("\(path)/members").list?.compactMap { $0["user_id"]?.string } ?? [])
  }

  @Test("100 parallel invitations of one account make it a member once", arguments: TestEngine.available)
  func invites(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, c, w) = (yard.a, yard.c, yard.w)
      let body = World.Body.json(["email": .text(c.email)])
      let outcomes = try await October2024PaymentFlowsTests.outcomes(100) { _ in
        try await a.call(.POST, "\(w)/members", body)
      }
      #expect(outcomes == ["200": 1, "E12": 99])
      #expect(try await a.get("\(w)/members").list?.count == 3)
      #expect(try await c.get("\(w)/my-channels").list?.count == 1)
    }
  }

  @Test(
    "after 100 parallel leaves, invitations and joins, every channel member belongs to the workspace",
    arguments: TestEngine.available)
  func leaves(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      let general = "\(w)/channels/\(try #require(try await a.get("\(w)/channels").list?.last?["channel_id"]?.string))"
      let body = World.Body.json(["email": .text(b.email)])
      let outcomes = try await October2024PaymentFlowsTests.outcomes(100) { index in
        switch index % 4 {
        case 0: try await b.call(.GET, "\(w)/exit")
        case 1: try await a.call(.POST, "\(w)/members", body)
        case 2: try await b.call(.GET, "\(channel)/chats")
        default: try await b.call(.GET, "\(channel)/exit")
        }
      }
      #expect(Set(outcomes.keys).isSubset(of: ["200", "E12", "E13"]))
      let members = try await Self.members(a, w)
      #expect(members.isSubset(of: [a.id, b.id]) && members.contains(a.id))
      #expect(try await Self.members(a, channel).isSubset(of: members))
      #expect(try await Self.members(a, general) == members)
    }
  }

  @Test(
    "a workspace and its channels have one owner each, who is a member, after 100 parallel hand-overs and leaves",
    arguments: TestEngine.available)
  func owners(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      try await a.invite(yard.c, to: w)
      let outcomes = try await October2024PaymentFlowsTests.outcomes(100) { index in
        let people = [a, b]
        let person = people[index / 2 % 2]
        let other = people[(index / 2 + 1) % 2]
        return switch index % 4 {
        case 0, 2:
          try await person.call(.PUT, "\(w)/transfer/ownership", .json(["owner_id": .text(other.id)]))
        case 1: try await person.call(.GET, "\(w)/exit")
        default: try await person.call(.POST, "\(w)/channels", .json(["name": .text("C\(index)")]))
        }
      }
      #expect(Set(outcomes.keys).isSubset(of: ["200", "E13", "E14", "E15"]))
      let detail = try await yard.c.get(w)
      let members = Set(detail["workspaceMembers"]?.list?.compactMap { $0["user_id"]?.string } ?? [])
      #expect(members.contains(try #require(detail["owner_id"]?.string)))
      let channels = try #require(detail["channels"]?.list)
      #expect(channels.allSatisfy { members.contains($0["owner_id"]?.string ?? "") })
      #expect(channels.last?["owner_id"] == detail["owner_id"])
    }
  }

  @Test("after 100 parallel renames to few names, no two objects share one", arguments: TestEngine.available)
  func renames(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let first = try await a.workspace("W1")
      let second = try await a.workspace("W2")
      let channels = [try await a.channel("C1", in: first), try await a.channel("C2", in: first)]
      let paths = [first, second] + channels
      let outcomes = try await October2024PaymentFlowsTests.outcomes(100) { index in
        try await a.call(.PUT, paths[index % 4], .json(["name": .text("N\(index / 4 % 3)")]))
      }
      #expect(Set(outcomes.keys).isSubset(of: ["200", "E12"]))
      for list in ["workspaces", "\(first)/channels"] {
        let names = try await a.get(list).list?.compactMap { $0["name"]?.string } ?? []
        #expect(Set(names).count == names.count)
      }
    }
  }

  @Test("deleting while 100 others write leaves nothing behind", arguments: TestEngine.available)
  func deleting(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let yard = try await world.courtyard()
      let (a, b, w) = (yard.a, yard.b, yard.w)
      let channel = try await a.channel("ios", in: w)
      _ = try await b.get("\(channel)/chats")
      let outcomes = try await October2024PaymentFlowsTests.outcomes(100) { index in
        if index == 50 { return try await a.call(.DELETE, w) }
        return try await b.call(
          .POST, "\(channel)/chats",
          index.isMultiple(of: 5) ? .multipart([.file("files", Sample.png)]) : .json(["content": "x"]))
      }
      #expect(Set(outcomes.keys).isSubset(of: ["200", "E13"]))
      for table in ["workspaces", "rooms", "channels", "channel_members", "chats", "files", "chat_files"] {
        let isEmpty = try await World.eventually {
          let count: Int? = try await world.server.madang.database.read {
            try $0.first("SELECT COUNT(*) AS rows FROM \(raw: table)") { try $0.get("rows") }
          }
          return count == 0
        }
        #expect(isEmpty, "\(table)")
      }
      #expect(
        try await World.eventually {
          try await world.hasNoFiles(in: "channelChats", "uploads")
        })
    }
  }
}
