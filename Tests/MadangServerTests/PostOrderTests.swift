import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Order of posts", .timeLimit(.minutes(5)))
struct PostOrderTests {
  @Test(
    "parallel posts at two servers are numbered without gaps, by channel and by author",
    arguments: TestEngine.available)
  func servers(_ engine: TestEngine) async throws {
    try await World.pair(engine) { first, second in
      let yard = try await first.courtyard()
      let channel = try await yard.a.channel("ios", in: yard.w)
      _ = try await yard.b.get("\(channel)/chats")
      let leaver = try await first.signUp("Dami")
      _ = try await leaver.call(.GET, "users/logout")
      await withTaskGroup { group in
        for n in 0..<160 {
          group.addTask {
            let world = n % 2 == 0 ? first : second
            if n % 8 == 7 {
              let answer = try? await (n % 16 == 7 ? yard.c : leaver).at(world)
                .call(.POST, "\(channel)/chats", .json(["content": "x"]))
              #expect(answer.map { $0.status != 200 } ?? false)
            } else {
              await #expect(throws: Never.self) {
                try await (n % 4 < 2 ? yard.a : yard.b).at(world).say("\(n)", in: channel)
              }
            }
          }
        }
      }
      let places = try await first.server.madang.database.read { transaction in
        try transaction.all(
          "SELECT seq, author_id, author_ordinal FROM chats WHERE room_id = (SELECT MAX(room_id) FROM chats) ORDER BY seq"
        ) { row in
          (
            seq: try row.get("seq") as Int64, author: try row.get("author_id") as Int64,
            ordinal: try row.get("author_ordinal") as Int64
          )
        }
      }
      #expect(places.map(\.seq) == Array(1...140))
      let authors = Dictionary(grouping: places, by: \.author)
      #expect(authors.count == 2)
      for chats in authors.values { #expect(chats.map(\.ordinal) == Array(1...Int64(chats.count))) }
    }
  }
}
