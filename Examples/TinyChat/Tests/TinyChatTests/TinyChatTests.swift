import MadangTesting
import Testing
import TinyChat

/// The ten tests of docs/test-clients.md and one more, each against a server of its own, in parallel.
@Suite(.madang(seed: .courtyard, number: 7), .timeLimit(.minutes(5))) struct TinyChatTests {
  private let app = TinyChat(server: Madang.world.url, key: MadangWorld.apiKey)

  /// Signs Mina in and opens a channel.
  private func open(_ name: String) async throws -> (channel: TinyChat.Place, workspace: TinyChat.Place) {
    try await app.signIn(email: "mina@example.com", password: "Passw0rd!", deviceToken: "minas-phone")
    let workspace = try #require(try await app.workspaces().first { $0.name == "Weekend" })
    return (try #require(try await app.channels(of: workspace).first { $0.name == name }), workspace)
  }

  /// Reads from a channel's live chats until these have come.
  private func show(_ chats: [TinyChat.Chat], by live: inout AsyncStream<TinyChat.Chat>.Iterator) async throws {
    for chat in chats { #expect(await live.next() == chat) }
  }

  @Test func signsIn() async throws {
    await #expect(throws: TinyChat.Failure.refused("E03")) {
      try await app.signIn(email: "mina@example.com", password: "Wr0ngWord!")
    }
    try await app.signIn(email: "mina@example.com", password: "Passw0rd!")
  }

  @Test func listsTheChatsOfAChannel() async throws {
    let (channel, workspace) = try await open("ios")
    try await Madang.world.person("joon").post("Lunch?", in: "Weekend/ios")
    #expect(try await app.chats(in: channel, of: workspace).last?.content == "Lunch?")
  }

  @Test func posts() async throws {
    let (channel, workspace) = try await open("ios")
    try await app.post("Yes", in: channel, of: workspace)
    let post = try MadangFilter.operation("postToChannel").account("mina").body(#"{"content":"Yes"}"#)
    try await Madang.world.expect([.once(post)])
  }

  @Test func showsAChatAsItComes() async throws {
    let (channel, workspace) = try await open("ios")
    var live = app.live(in: channel, of: workspace).makeAsyncIterator()
    try await show(app.chats(in: channel, of: workspace), by: &live)
    try await Madang.world.person("joon").post("Lunch?", in: "Weekend/ios")
    #expect(await live.next()?.content == "Lunch?")
  }

  @Test func countsUnreadChats() async throws {
    let (channel, workspace) = try await open("ios")
    let seen = try #require(try await app.chats(in: channel, of: workspace).last?.createdAt)
    try await Madang.world.person("joon").post("Lunch?", in: "Weekend/ios")
    try await Madang.world.person("joon").post("Anyone?", in: "Weekend/ios")
    #expect(try await app.unread(in: channel, of: workspace, after: seen) == 2)
  }

  @Test func survivesAnExpiredToken() async throws {
    let (channel, workspace) = try await open("ios")
    try Madang.world.clock.advance(by: "25h")
    #expect(try await !app.chats(in: channel, of: workspace).isEmpty)
    try await Madang.world.expect([.once(.operation("refresh").status(200))])
  }

  @Test func postsOnceWhenTheAnswerIsLost() async throws {
    let (channel, workspace) = try await open("quiet")
    try await Madang.world.faults.add(.answerLost, operation: "postToChannel", nth: 1)
    try await app.post("Hello?", in: channel, of: workspace)
    try await Madang.world.expect([.once(.operation("postToChannel"))])
    #expect(try await app.chats(in: channel, of: workspace).map(\.content) == ["Hello?"])
  }

  @Test func leavesASilentSocket() async throws {
    let (channel, workspace) = try await open("ios")
    try await Madang.world.faults.add(.silence, event: "channel", times: 1)
    var live = app.live(in: channel, of: workspace, patience: .seconds(1)).makeAsyncIterator()
    try await show(app.chats(in: channel, of: workspace), by: &live)
    try await Madang.world.person("joon").post("Lunch?", in: "Weekend/ios")
    #expect(await live.next()?.content == "Lunch?")
    try await Madang.world.expect([.atLeast(2, .connection("opened"))])
  }

  @Test func aPhoneIsNotifiedOfTheChatsOfOthers() async throws {
    let (channel, workspace) = try await open("ios")
    try await Madang.world.person("joon").post("Lunch?", in: "Weekend/ios")
    try await app.post("Yes", in: channel, of: workspace)
    // Sora's phone, of the seed, is notified of both chats.
    try await Madang.world.expect(
      [.once(.push(to: "mina@example.com")), .times(2, .push(to: "sora@example.com"))], within: "60s")
  }

  @Test func startsAgain() async throws {
    let (channel, workspace) = try await open("ios")
    let first = try await app.chats(in: channel, of: workspace)
    let now = Madang.world.clock.now
    try await app.post("Yes", in: channel, of: workspace)
    try Madang.world.clock.advance(by: "7d")
    try await Madang.world.reset()
    _ = try await open("ios")
    #expect(try await app.chats(in: channel, of: workspace) == first)
    #expect(Madang.world.clock.now == now)
  }

  @Test(arguments: [MadangFault.status(500, code: "E99"), .malformedJSON, .cut(afterBytes: 10), .reset()])
  func aServerInTroubleIsNoReasonToForgetWhoIsSignedIn(_ trouble: MadangFault) async throws {
    let (channel, workspace) = try await open("ios")
    try await Madang.world.faults.add(trouble, operation: "channelHistory", times: 1)
    await #expect(throws: TinyChat.Failure.self) { try await app.chats(in: channel, of: workspace) }
    #expect(try await !app.chats(in: channel, of: workspace).isEmpty)
  }
}
