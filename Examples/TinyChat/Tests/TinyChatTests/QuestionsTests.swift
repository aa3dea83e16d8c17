import Foundation
import MadangTesting
import Testing
import TinyChat

/// Questions of docs/test-clients.md, in Swift.
@Suite(.madang(seed: .courtyard), .timeLimit(.minutes(5))) struct QuestionsTests {
  private static let ios = "Weekend/ios"

  /// A device of Mina, and the channel ios.
  private func device() async throws -> (app: TinyChat, channel: TinyChat.Place, workspace: TinyChat.Place) {
    let app = TinyChat(server: Madang.world.url, key: MadangWorld.apiKey)
    try await app.signIn(email: "mina@example.com", password: "Passw0rd!")
    let workspace = try #require(try await app.workspaces().first { $0.name == "Weekend" })
    return (app, try #require(try await app.channels(of: workspace).first { $0.name == "ios" }), workspace)
  }

  @Test func anUploadThatBrokeOffIsSentAgain() async throws {
    let (app, channel, workspace) = try await device()
    let picture = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(count: 30_000)
    try await Madang.world.faults.add(.cutUpload(afterBytes: 10_000), operation: "postToChannel", times: 1)
    try await app.post("Look", pictures: [picture], in: channel, of: workspace)
    #expect(try await app.chats(in: channel, of: workspace).filter { $0.content == "Look" }.count == 1)
    let post = MadangFilter.operation("postToChannel")
    try await Madang.world.expect([.once(post.fault("cutUpload")), .once(post.status(200))])
  }

  @Test func twoDevicesShowTheSame() async throws {
    let (phone, channel, workspace) = try await device()
    let (tablet, _, _) = try await device()
    let shown = tablet.live(in: channel, of: workspace)
    try await phone.post("Yes", in: channel, of: workspace)
    #expect(await shown.contains { $0.content == "Yes" })
    try await phone.signOut()
    #expect(try await !tablet.chats(in: channel, of: workspace).isEmpty)
  }

  @Test func nothingIsMissingAfterALostConnection() async throws {
    let (app, channel, workspace) = try await device()
    let shown = app.live(in: channel, of: workspace)
    #expect(try await Madang.world.sockets.list(account: "mina", within: "60s").count == 1)
    #expect(try await Madang.world.sockets.cut(account: "mina") == 1)
    try await Madang.world.person("joon").post("Lunch?", in: Self.ios)
    #expect(await shown.contains { $0.content == "Lunch?" })
  }

  @Test func theReviewFindsNothing() async throws {
    let (app, channel, workspace) = try await device()
    try await app.post("Yes", in: channel, of: workspace)
    _ = try await app.chats(in: channel, of: workspace)
    try await Madang.world.expectPolite()
  }
}
