import MadangClient
import MadangTesting
import Testing
import TinyChat

/// Five tests of a small client, each against a server of its own, in parallel.
@Suite(.madang(seed: .courtyard, number: 1)) struct TinyChatTests {
  private let app = TinyChat(server: Madang.world.url, key: MadangWorld.apiKey)

  /// Signs Mina in and opens a channel.
  private func open(_ name: String) async throws -> (channel: TinyChat.Place, workspace: TinyChat.Place) {
    try await app.signIn(email: "mina@example.com", password: "Passw0rd!")
    let workspace = try #require(try await app.workspaces().first { $0.name == "Weekend" })
    return (try #require(try await app.channels(of: workspace).first { $0.name == name }), workspace)
  }

  @Test func aWrongPasswordIsToldApart() async throws {
    await #expect(throws: TinyChat.Failure.refused("E03")) {
      try await app.signIn(email: "mina@example.com", password: "Wr0ngWord!")
    }
  }

  @Test func theBadgeCountsWhatOthersPosted() async throws {
    let (channel, workspace) = try await open("ios")
    // The world's number stops its clock, so that dates are the same in each run.
    let before = try await app.unread(in: channel, of: workspace, after: "2026-01-05T08:45:00.000Z")
    #expect(before == 0)

    let joon = try await Madang.world.signIn("joon@example.com")
    try await joon.post("Lunch?", to: .channel(id: channel.id, workspace: workspace.id))
    try await joon.close()
    #expect(try await app.unread(in: channel, of: workspace, after: "2026-01-05T08:45:00.000Z") == 1)
  }

  @Test func anExpiredTokenIsRenewedUnseen() async throws {
    let (channel, workspace) = try await open("ios")
    Madang.world.clock.advance(by: .seconds(86_400))
    #expect(try await !app.chats(in: channel, of: workspace).isEmpty)
  }

  @Test func aChatWhoseAnswerIsLostIsPostedOnce() async throws {
    let (channel, workspace) = try await open("quiet")
    let fault = try await Madang.world.faults.add(.answerLost, operation: "postToChannel", nth: 1)
    try await app.post("Hello?", in: channel, of: workspace)
    #expect(Madang.world.faults.count(of: fault) == 1)
    #expect(try await app.chats(in: channel, of: workspace).map(\.content) == ["Hello?"])
  }

  @Test(arguments: [MadangFault.status(500, code: "E99"), .malformedJSON, .cut(afterBytes: 10), .reset()])
  func aServerInTroubleIsNoReasonToForgetWhoIsSignedIn(_ trouble: MadangFault) async throws {
    let (channel, workspace) = try await open("ios")
    try await Madang.world.faults.add(trouble, operation: "channelHistory", times: 1)
    await #expect(throws: TinyChat.Failure.self) { try await app.chats(in: channel, of: workspace) }
    #expect(try await !app.chats(in: channel, of: workspace).isEmpty)
  }
}
