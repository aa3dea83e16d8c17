import Foundation
import MadangAPI
import MadangClient
import MadangTesting
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The rows of clients/behaviours.md that concern a server in the test's own process.
@Suite("MadangTesting: the behaviours of all kits", .madang(seed: .courtyard, number: 7), .timeLimit(.minutes(5)))
struct MadangBehaviourTests {
  private let world = Madang.world
  private static let start = Date(timeIntervalSince1970: 1_767_603_600)

  /// Runs `body` with a client that signed in, and the address of a channel of `Weekend`.
  private func withClient(
    _ name: String = "mina", channel: String = "ios", of other: MadangWorld? = nil,
    _ body: (MadangClient, RoomAddress) async throws -> Void
  ) async throws {
    let client = try await (other ?? world).signIn("\(name)@example.com")
    do {
      let weekend = try #require(try await client.workspaces().first { $0.name == "Weekend" }).workspaceID
      let found = try #require(try await client.channels(in: weekend).first { $0.name == channel })
      try await body(client, .channel(id: found.channelID, workspace: weekend))
    } catch {
      try? await client.close()
      throw error
    }
    try await client.close()
  }

  /// The texts in a channel of `Weekend`, as Joon reads them.
  private func texts(in channel: String = "quiet", of other: MadangWorld? = nil) async throws -> [String] {
    var texts: [String] = []
    try await withClient("joon", channel: channel, of: other) { joon, room in
      texts = try await joon.history(of: room).compactMap(\.content)
    }
    return texts
  }

  /// The message of the ``MadangTestingError`` that `body` throws.
  private func refusal(_ body: () async throws -> Void) async -> String {
    let error = await #expect(throws: MadangTestingError.self) { try await body() }
    return error?.description ?? ""
  }

  // MARK: Worlds

  @Test("B07: a test has a world with a URL and a key for each edition")
  func hasWorld() async throws {
    #expect(world.url == "http://127.0.0.1:\(world.port)")
    #expect(MadangWorld.apiKey == "dev-key-2024-10" && MadangWorld.january2024Key == "dev-key-2024-01")
    try await withClient { mina, _ in
      let me = try await mina.me()
      #expect(me.nickname == "Mina")
    }
  }

  @Test("B08: worlds of the same seed and number have the same people, ids and time")
  func same() async throws {
    let people = try await world.people()
    try await MadangWorld.with(.courtyard, number: 7) { other in
      #expect(other.url != world.url && other.clock.now == world.clock.now)
      let others = try await other.people()
      #expect(others == people)
    }
  }

  @Test("B10: a world ends after its test, also after a failed one")
  func ends() async throws {
    struct Failed: Error {}
    var url = ""
    await #expect(throws: Failed.self) {
      try await MadangWorld.with(.empty) { other in
        url = other.url
        throw Failed()
      }
    }
    let ended = try #require(URL(string: "\(url)/livez"))
    await #expect(throws: (any Error).self) { _ = try await URLSession.shared.data(from: ended) }
  }

  @Test("B27: a reset brings back the first state")
  func reset() async throws {
    try await world.person("joon").post("soon gone", in: "Weekend/quiet")
    try await world.reset()
    #expect(try await texts().isEmpty)
  }

  @Test("B28: a restored snapshot brings back the state that it saved; a removed one is gone")
  func snapshots() async throws {
    try await world.person("joon").post("before", in: "Weekend/quiet")
    try await world.snapshot("one chat")
    try await world.person("joon").post("after", in: "Weekend/quiet")
    #expect(world.snapshots == ["one chat"])
    try await world.restore("one chat")
    #expect(try await texts() == ["before"])
    try world.removeSnapshot("one chat")
    #expect(world.snapshots.isEmpty)
    #expect(await refusal { try await world.restore("one chat") }.contains("one chat"))
  }

  @Test("B29: an exported seed makes a world with the same chats")
  func exports() async throws {
    try await world.person("joon").post("of the first world", in: "Weekend/quiet")
    try await MadangWorld.with(.text(try await world.exportSeed())) { other in
      let chats = try await texts(of: other)
      #expect(chats == ["of the first world"])
    }
  }

  // MARK: Time and failures

  @Test("B14: the clock can be set, frozen, resumed, and run at another speed")
  func speeds() {
    let clock = world.clock
    clock.set(to: Self.start.addingTimeInterval(86_400))
    #expect(clock.now == Self.start.addingTimeInterval(86_400))
    clock.set(to: Self.start.addingTimeInterval(-1))
    #expect(clock.now == Self.start.addingTimeInterval(-1) && clock.rate == 0)
    clock.resume()
    #expect(clock.rate == 1)
    clock.run(at: 60)
    #expect(clock.rate == 60)
    clock.freeze()
    #expect(clock.rate == 0)
  }

  @Test("B15: after 25 hours a call with the old access token is refused with E05")
  func expires() async throws {
    try await withClient { mina, _ in
      let last = world.journal.last
      world.clock.advance(by: .seconds(25 * 3600))
      _ = try await mina.workspaces()
      // The client renews the token and repeats the call.
      try await world.expect(
        [.once(.operation("workspaces").code("E05")), .once(.operation("workspaces").status(200))], inOrder: true,
        after: last)
    }
  }

  @Test("B16: a fault applies to the requests that it matches, and its rule counts them")
  func faults() async throws {
    try await withClient { mina, _ in
      let id = try await world.faults.add(.status(503), operation: "me", nth: 2)
      _ = try await mina.me()
      await #expect(throws: (any Error).self) { try await mina.me() }
      _ = try await mina.me()
      let rule = try #require(world.faults.rules.first)
      #expect(world.faults.rules.count == 1 && rule.id == id && rule.kind == "status")
      #expect(rule.matched == 3 && rule.applied == 1)
    }
  }

  @Test("B17: a removed fault applies no longer; removeAll removes every rule")
  func removed() async throws {
    try await withClient { mina, _ in
      let id = try await world.faults.add(.status(500), operation: "me")
      await #expect(throws: (any Error).self) { try await mina.me() }
      #expect(world.faults.remove(id) && !world.faults.remove(id))
      _ = try await mina.me()
      try await world.faults.add(.drop, event: "channel")
      try await world.faults.add(.limited(), operation: "me")
      world.faults.removeAll()
      #expect(world.faults.rules.isEmpty)
    }
  }

  @Test("B18: during a restart connections are refused, and data stays")
  func restart() async throws {
    try await world.person("joon").post("before", in: "Weekend/quiet")
    await world.restart(downFor: .seconds(60))
    let url = try #require(URL(string: "\(world.url)/livez"))
    await #expect(throws: (any Error).self) { _ = try await URLSession.shared.data(from: url) }
    await world.restart(downFor: .zero)
    #expect(try await texts() == ["before"])
  }

  // MARK: People, clients, scripts

  @Test("B19: a person posts in a channel, and a client reads the chat")
  func posts() async throws {
    let chat = try await world.person("joon").post("Lunch?", in: "Weekend/ios", files: 2)
    try await withClient { mina, ios in
      let last = try #require(try await mina.history(of: ios).last)
      #expect(last == chat && last.content == "Lunch?" && last.files.count == 2)
    }
  }

  @Test("B20: a person writes a direct message, and its receiver reads it")
  func writes() async throws {
    let sent = try await world.person("joon").write("only for you", to: "mina", in: "Weekend")
    try await withClient { mina, _ in
      let weekend = try #require(try await mina.workspaces().first { $0.name == "Weekend" }).workspaceID
      let chats = try await mina.history(of: .directMessage(id: sent.roomID, workspace: weekend))
      #expect(chats.last?.content == "only for you")
    }
  }

  @Test("B21: a person joins and leaves a channel")
  func joins() async throws {
    try await withClient("sora", channel: "hiking") { sora, hiking in
      func members() async throws -> [String] {
        guard case .channel(let id, let workspace) = hiking else { return [] }
        return try await sora.members(ofChannel: id, in: workspace).map(\.nickname)
      }
      try await world.person("joon").join("Weekend/hiking")
      #expect(try await members().contains("Joon"))
      try await world.person("joon").leave("Weekend/hiking")
      #expect(try await !members().contains("Joon"))
    }
  }

  @Test("B22: a person calls any operation of the API; a refusal is an error with the contract's code")
  func calls() async throws {
    struct Person: Decodable { let nickname: String }
    let joon = world.person("joon")
    let changed = try await joon.call("PUT", "users/me", body: #"{"nickname":"Juno"}"#)
    #expect(try JSONDecoder().decode(Person.self, from: changed).nickname == "Juno")
    #expect(try JSONDecoder().decode(Person.self, from: try await joon.call("GET", "users/me")).nickname == "Juno")
    let unknown = await #expect(throws: MadangTestingError.self) {
      try await joon.call("GET", "workspaces/00000000-0000-0000-0000-000000000000")
    }
    #expect(unknown?.code == "E13")
    let forbidden = await #expect(throws: MadangTestingError.self) {
      try await world.person("guest").post("hi", in: "Weekend/ios")
    }
    #expect(forbidden?.code == "E13" && forbidden?.description.hasPrefix("guest, ") == true)
    #expect(await refusal { try await world.person("zoe").call("GET", "users/me") }.contains("there is no person"))
  }

  @Test("B23: a world lists its people")
  func people() async throws {
    let people = try await world.people()
    #expect(people.map { $0.email.split(separator: "@")[0] } == ["mina", "joon", "sora", "theo", "guest"])
    #expect(people[0].workspaces == ["Weekend", "Book club"] && people[2].nickname == "소라")
  }

  @Test("B24: a signed-in client reads and writes; a refusal is an error with its code")
  func clients() async throws {
    try await withClient { mina, ios in
      let posted = try await mina.post("hello", to: ios)
      #expect(posted.content == "hello")
    }
    #expect(try await texts(in: "ios").last == "hello")
    let client = world.makeClient()
    let refused = await #expect(throws: MadangError.self) {
      try await client.signIn(email: "mina@example.com", password: "Wr0ng!!!")
    }
    #expect(refused?.code?.rawValue == "E03", "\(String(describing: refused))")
    #expect(try await world.signIn("joon").me().email == "joon@example.com")
    let unknown = await refusal { _ = try await world.signIn("jon") }
    #expect(unknown.contains("there is no person with the e-mail 'jon'"))
  }

  @Test("a client that is neither closed nor kept is shut down, as otherwise its HTTPClient would end the process")
  func abandoned() async throws {
    for _ in 0..<3 { _ = try await world.signIn("mina") }
    _ = world.makeClient()
    let closed = try await world.signIn("mina")
    try await closed.close()
  }

  @Test("B25: a script starts, runs as often as it should, and finishes")
  func scripts() async throws {
    try await world.scripts.add(
      """
      {name: answers, when: {chat: {from: mina, in: Weekend/ios}}, times: 2,
       do: [{as: joon, post: "{nickname}, you said: {text}"}]}
      """)
    try await world.scripts.start("answers")
    try await world.person("mina").post("one", in: "Weekend/ios")
    #expect(try await world.scripts.ran("answers", 1, within: "60s").runs == 1)
    try await world.person("mina").post("two", in: "Weekend/ios")
    #expect(try await world.scripts.finished("answers", within: "60s").failed == 0)
    #expect(try await texts(in: "ios").contains("Mina, you said: two"))
  }

  @Test("B26: a script with a failed run is an error that names the failure")
  func failedScripts() async throws {
    try await world.scripts.add("{name: cannot, do: [{as: guest, post: hi, in: Weekend/ios}]}")
    try await world.scripts.start("cannot")
    let words = await refusal { _ = try await world.scripts.finished("cannot", within: "60s") }
    #expect(words.contains("no such room"), "\(words)")
    #expect(try await world.scripts.finished("cannot", allowingFailures: true).failed == 1)
  }

  // MARK: What clients did

  @Test("B30: the journal lists the entries that a filter selects, also by a part of their body")
  func entries() async throws {
    try await withClient { mina, ios in
      _ = try await mina.post("Hello", to: ios)
      let second = try await mina.post("World", to: ios)
      let posts = try await world.journal.entries(.operation("postToChannel").account("mina").status(200))
      #expect(posts.count == 2)
      let found = try await world.journal.entries(.operation("postToChannel").body(#"{"content":"World"}"#))
      #expect(found.map(\.number) == [posts[1].number] && found[0].answer?.contains(second.id) == true)
      #expect(try await world.journal.entries(.operation("postToChannel"), after: posts[1].number).isEmpty)
    }
  }

  @Test("B31: waiting for an entry returns when it comes; if it does not come, the failure names the filter")
  func waits() async throws {
    async let push = world.journal.wait(for: .push(to: "sora"), within: .seconds(30))
    try await world.person("mina").post("late", in: "Weekend/ios")
    #expect(try await push.first?.payload?.contains("late") == true)
    let words = await refusal {
      try await world.journal.wait(for: .operation("me").status(404), count: 2, within: .milliseconds(50))
    }
    #expect(words.hasPrefix("came 0 of 2 times within 0.05 seconds: operation me, status 404\nat MadangTestingTests/"))
  }

  @Test("B32: last is the newest number of the journal, and a cleared journal is empty")
  func last() async throws {
    #expect(world.journal.last == 0)
    try await withClient { mina, _ in
      let before = world.journal.last
      _ = try await mina.me()
      #expect(world.journal.last == before + 1)
      world.journal.clear()
      #expect(try await world.journal.entries().isEmpty && world.journal.last == before + 1)
    }
  }

  @Test("B33: the journal as HAR has the requests")
  func archive() async throws {
    try await withClient { mina, _ in _ = try await mina.me() }
    #expect(
      String(decoding: try await world.journal.har(), as: UTF8.self).contains(#""url":"\#(world.url)/v1/users/me""#))
  }

  @Test("B34: once, times, atLeast, atMost and never are met by what happened")
  func expectations() async throws {
    try await withClient { mina, ios in
      for text in ["one", "two", "three"] { _ = try await mina.post(text, to: ios) }
      try await world.expect([.once(.operation("signIn")), .times(3, .operation("postToChannel"))])
      try await world.expect([.atLeast(2, .operation("postToChannel"))])
      try await world.expect(
        [.once(.operation("signIn")), .never(.operation("signOut"))], within: .milliseconds(50))
    }
  }

  @Test("B35: a failed expectation is an error with the server's sentences, one a line")
  func differences() async throws {
    let line = #line + 2
    let words = await refusal {
      try await world.expect([.once(.operation("me")), .once(.operation("signOut"))], within: .zero)
    }
    let lines = words.split(separator: "\n")
    #expect(lines.prefix(2).allSatisfy { $0.hasPrefix("missing: operation ") }, "\(words)")
    #expect(lines.dropFirst(2) == ["at MadangTestingTests/MadangBehaviourTests.swift:\(line)", "the journal is empty"])
  }

  @Test(
    "a failed expectation names its line and shows the newest entries of the journal, whose texts cannot forge lines")
  func failure() async throws {
    let mina = try await world.signIn("mina")
    for _ in 0..<40 { _ = try await mina.me() }
    try await world.person("joon").post("a\n9  forged", in: "Weekend/ios")
    try await world.person("joon").write("b", to: "mina")
    let line = #line + 2
    let words = await refusal {
      try await world.expect([.once(.operation("postToChannel").body(#"{"content":"a\n9  forget"}"#))], within: .zero)
    }
    let lines = words.split(separator: "\n")
    #expect(lines.contains("at MadangTestingTests/MadangBehaviourTests.swift:\(line)"), "\(words)")
    let head = try #require(lines.firstIndex { $0 == "the last 30 entries of the journal:" }, "\(words)")
    let entries = lines[(head + 1)...]
    #expect(entries.count == 30 && entries.contains { $0.contains("  mina@example.com  GET /v1/users/me  200, ") })
    let waited = await refusal { try await world.journal.wait(for: .operation("signOut"), within: .zero) }
    #expect(waited.contains("came 0 of 1 times") && waited.contains("MadangBehaviourTests.swift:"), "\(waited)")
    let cancelled = Task {
      await refusal { try await world.journal.wait(for: .operation("signOut"), within: .seconds(60)) }
    }
    cancelled.cancel()
    let end = await cancelled.value
    #expect(
      end.hasPrefix("the test was cancelled") && end.contains("\nthe last 30 entries of the journal:\n"), "\(end)")
  }

  @Test("B36: inOrder, only, among and after change what an expectation accepts")
  func options() async throws {
    try await withClient { mina, ios in
      world.journal.clear()
      _ = try await mina.me()
      _ = try await mina.post("Hi", to: ios)
      let after = world.journal.last
      let both: [MadangExpected] = [.once(.operation("postToChannel")), .once(.operation("me"))]
      try await world.expect(both, within: .zero)
      await #expect(throws: MadangTestingError.self) { try await world.expect(both, inOrder: true, within: .zero) }
      let one: [MadangExpected] = [.once(.operation("me"))]
      await #expect(throws: MadangTestingError.self) { try await world.expect(one, only: true, within: .zero) }
      try await world.expect(
        [.once(.operation("postToChannel"))], only: true, among: .requests.method("POST").path("*/chats"), within: .zero
      )
      await #expect(throws: MadangTestingError.self) { try await world.expect(one, after: after, within: .zero) }
      _ = try await mina.me()
      try await world.expect(one, after: after, settling: .milliseconds(50))
    }
  }

  @Test("B37: the review finds a habit of a client, and none of a good client")
  func review() async throws {
    try await withClient { mina, _ in
      _ = try await mina.me()
      #expect(try await world.review().isEmpty)
      for _ in 0..<6 { _ = try await mina.workspaces() }
    }
    #expect(try await world.review(of: "mina").map(\.habit) == ["polling"])
    let words = await refusal { try await world.expectPolite(of: "mina") }
    #expect(words.hasPrefix("polling: ") && words.contains("Instead: "), "\(words)")
    #expect(words.contains("\nat MadangTestingTests/"), "\(words)")
    try await world.expectPolite(of: "joon")
  }

  @Test("B38: the coverage counts the operations of the world")
  func coverage() async throws {
    try await withClient { mina, _ in _ = try await mina.me() }
    let operations = try #require(
      world.coverage.parts.first { $0.edition == .october2024 && $0.section == .operations })
    #expect(operations.counts["me"] == 1 && operations.missing.contains("signOut"))
  }

  // MARK: Stand-ins

  @Test("B39: a payment and a social token are accepted by the API")
  func payments() async throws {
    try await withClient { mina, _ in
      let coins = try await mina.me().sesacCoin
      _ = try await mina.creditPayment(try world.pay(500, for: "ios_1"), merchantID: "ios_1")
      #expect(try await mina.me().sesacCoin > coins)
      let failed = try world.pay(500, for: "ios_2", status: .failed)
      await #expect(throws: (any Error).self) { try await mina.creditPayment(failed, merchantID: "ios_2") }
    }
    let client = world.makeClient()
    let token = try world.socialToken(from: .kakao, subject: "42", email: "new@example.com", nickname: "New")
    #expect(try await client.signInWithKakao(oauthToken: token).nickname == "New")
    try await client.close()
  }

  @Test("B40: mails and notifications are listed")
  func mails() async throws {
    var request = URLRequest(url: try #require(URL(string: "\(world.url)/password")))
    request.httpMethod = "POST"
    request.httpBody = Data("email=mina@example.com".utf8)
    _ = try await URLSession.shared.data(for: request)
    try await world.person("mina").post("Lunch?", in: "Weekend/ios")
    try await world.journal.wait(for: .push(to: "sora"), within: "60s")
    try await world.journal.wait(for: .mail(to: "mina"), within: "60s")
    let push = try #require(try world.pushes().first)
    #expect(push.deviceToken == "sora-phone" && push.edition == "2024-10" && push.payload.contains("Lunch?"))
    #expect(try world.pushes(after: push.id).isEmpty)
    let mail = try #require(try world.mails(to: "mina@example.com").first)
    #expect(mail.address == "mina@example.com" && mail.body.contains("\(world.url)/password/") && !mail.html.isEmpty)
    #expect(try world.mails(to: "joon@example.com").isEmpty)
    #expect(try world.mails(after: mail.id).isEmpty)
  }
}
