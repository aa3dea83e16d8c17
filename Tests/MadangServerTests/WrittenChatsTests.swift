import MadangAPI
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore

@Suite("Chats of an account", .timeLimit(.minutes(5)))
struct WrittenChatsTests {
  private static let day: Int64 = 24 * 3_600_000

  /// The texts of an account's chats, read in pages.
  private static func texts(of email: String, _ madang: Madang, page: Int) async throws -> [String] {
    let user = try await madang.accountRecord(email: email).account.person.id.number
    var (texts, last) = ([String](), WrittenPlace?.none)
    while case let chats = try await madang.chats(writtenBy: user, after: last, limit: page),
      let place = chats.last?.place
    {
      #expect(chats.count <= page)
      texts += chats.map(\.content)
      last = place
    }
    return texts
  }

  @Test(
    "an account's chats are found in all rooms, page by page, also after retention",
    arguments: TestEngine.available)
  func pages(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.retention.chatDays, 10)) { (world) async throws in
      let madang = world.server.madang
      let yard = try await world.courtyard()
      let (first, second) = (
        try await yard.a.channel("ios", in: yard.w), try await yard.a.channel("web", in: yard.w)
      )
      let room = try await yard.a.directMessage(with: yard.b, in: yard.w)
      let places = [first, second, room]
      for place in places { for text in ["1", "2", "3"] { _ = try await yard.a.say("\(text)", in: place) } }
      _ = try await yard.b.get("\(first)/chats")
      for place in [first, room] { _ = try await yard.b.say("of another", in: place) }
      for page in [1, 2, 3, 100] {
        let texts = try await Self.texts(of: yard.a.email, madang, page: page)
        #expect(texts == ["1", "2", "3", "1", "2", "3", "1", "2", "3"], "\(page)")
      }
      world.clock.advance(milliseconds: 6 * Self.day)
      let a = try await world.signIn(yard.a, through: .october2024)
      _ = try await a.say("4", in: first)
      _ = try await a.say("4", in: room)
      world.clock.advance(milliseconds: 5 * Self.day)
      _ = try await madang.deleteExpired()
      #expect(try await Self.texts(of: yard.a.email, madang, page: 1) == ["4", "4"])
      #expect(try await Self.texts(of: yard.b.email, madang, page: 1) == [])
      var search = ChatSearch()
      search.author = yard.a.email
      #expect(try await madang.findChats(search, by: .hana).map(\.content) == ["4", "4"])
    }
  }
}
