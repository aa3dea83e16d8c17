import AsyncHTTPClient
import Foundation
import MadangAPI
import MadangCore
import MadangServer
import NIOCore
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@testable import MadangDevelopment

@Suite("Review of clients", .timeLimit(.minutes(5)))
struct ReviewTests {
  private static func findings(_ scene: FaultScene) async throws -> [ReviewFinding] {
    let answer = try await scene.world.call(.GET, "/_dev/review", key: nil)
    try #require(answer.status == 200)
    return try JSONDecoder().decode(Review.Report.self, from: Data(answer.body)).findings
  }

  /// The only finding there is.
  private static func finding(_ scene: FaultScene) async throws -> ReviewFinding {
    let findings = try await findings(scene)
    try #require(findings.count == 1, "\(findings)")
    return findings[0]
  }

  private static func refresh(_ person: TestPerson) async throws -> Support.World.Answer {
    try await person.call(.GET, "auth/refresh", headers: [("RefreshToken", person.refreshToken)])
  }

  @Test("a review finds calls without a required header, not those with a wrong value")
  func missingHeader() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await scene.world.call(.GET, "workspaces", token: "wrong")
      _ = try await scene.world.call(.GET, "workspaces", token: scene.mina.token, key: "wrong")
      #expect(try await Self.findings(scene) == [])
      _ = try await scene.world.call(.GET, "users/me")
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .missingHeader && finding.what == "1 call without the header Authorization")
      #expect(finding.calls == [try await scene.entry("operation=me").number])
      #expect(finding.rule.contains("SesacKey (otherwise E01)") && !finding.cure.isEmpty)
      _ = try await scene.world.call(.GET, "users/me", token: scene.mina.token, key: nil)
      _ = try await scene.world.call(.GET, "auth/refresh", token: scene.mina.token)
      #expect(
        try await Self.findings(scene).map(\.what) == [
          "1 call without the header Authorization", "1 call without the header SesacKey",
          "1 call without the header RefreshToken",
        ])
    }
  }

  @Test("a review finds needless refreshes; one for each expiry is fine, however fast the clock runs")
  func refreshStorm() async throws {
    try await FaultScene.run { (scene) async throws in
      for _ in 0..<4 {
        scene.world.clock.advance(milliseconds: 25 * 3_600_000)
        #expect(try await scene.mina.code(.GET, "workspaces") == "E05")
        #expect(try await Self.refresh(scene.mina).status == 200)
      }
      #expect(try await Self.findings(scene) == [])
      for _ in 0..<3 { #expect(try await Self.refresh(scene.mina).status == 200) }
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .refreshStorm && finding.account == scene.mina.email && finding.count == 3)
      #expect(finding.calls == (try await scene.entries("operation=refresh")).suffix(3).map(\.number))
    }
  }

  @Test("a review finds several refreshes of the same expired token")
  func refreshWithoutLock() async throws {
    try await FaultScene.run { (scene) async throws in
      scene.world.clock.advance(milliseconds: 25 * 3_600_000)
      for path in ["workspaces", "users/me", scene.workspace] {
        #expect(try await scene.mina.code(.GET, path) == "E05")
      }
      for _ in 0..<3 { #expect(try await Self.refresh(scene.mina).status == 200) }
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .refreshStorm && finding.count == 2)
    }
  }

  @Test("a review finds a refresh after another error than E05, not one at launch")
  func needlessRefresh() async throws {
    try await FaultScene.run { (scene) async throws in
      #expect(try await Self.refresh(scene.mina).status == 200)
      scene.world.clock.advance(milliseconds: 60_000)
      #expect(try await scene.mina.code(.GET, "workspaces/5e4d7f0a-0000-4000-8000-000000000000") == "E13")
      #expect(try await Self.findings(scene) == [])
      #expect(try await Self.refresh(scene.mina).status == 200)
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .needlessRefresh && finding.count == 1)
    }
  }

  @Test("a review finds equal calls without news between them, not those after an event")
  func polling() async throws {
    try await FaultScene.run { (scene) async throws in
      let socket = try await scene.joined(.webSocket)
      for number in 0..<8 {
        _ = try await scene.mina.get("\(scene.room)/unreads?after=2026-01-01T00:00:00.000Z")
        _ = try await scene.mina.say("chat \(number)", in: scene.room)
        _ = try await socket.text()
      }
      #expect(try await Self.findings(scene) == [])
      for _ in 0..<5 { _ = try await scene.mina.get("\(scene.room)/unreads?after=2026-01-01T00:00:00.000Z") }
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .polling && finding.count >= 5 && finding.what.contains("beside a socket"))
      #expect(finding.cure.contains("join the room's namespace"))
      await socket.abort()
    }
  }

  @Test("a client that polls data outside of rooms is not advised to join a room")
  func pollingOutsideRooms() async throws {
    try await FaultScene.run { (scene) async throws in
      let socket = try await scene.joined(.webSocket)
      for _ in 0..<5 { _ = try await scene.mina.get("workspaces") }
      let finding = try await Self.finding(scene)
      #expect(!finding.what.contains("socket"))
      #expect(finding.habit == .polling && finding.cure.contains("when the screen opens"))
      #expect(!finding.cure.contains("namespace") && !finding.rule.contains("namespace"))
      await socket.abort()
    }
  }

  @Test("a review finds a history read from its start repeatedly, not with a cursor")
  func historyFromStart() async throws {
    try await FaultScene.run { (scene) async throws in
      let chat = try await scene.mina.say("Hello", in: scene.room)
      let date = try #require(chat["createdAt"]?.string)
      for _ in 0..<3 { _ = try await scene.mina.get("\(scene.room)/chats?cursor_date=\(date)") }
      scene.world.clock.advance(milliseconds: 60_000)
      for _ in 0..<2 { _ = try await scene.mina.get("\(scene.room)/chats") }
      scene.world.clock.advance(milliseconds: 60_000)
      #expect(try await Self.findings(scene) == [])
      _ = try await scene.mina.get("\(scene.room)/chats")
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .historyFromStart && finding.count == 2)
    }
  }

  @Test("a review finds connections that pile up and rooms that are never left")
  func sockets() async throws {
    try await FaultScene.run { (scene) async throws in
      var sockets: [EngineClient] = []
      for _ in 0..<4 { sockets.append(try await scene.joined(.webSocket)) }
      #expect(try await Self.findings(scene) == [])
      sockets.append(try await scene.joined(.webSocket))
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .connectionsLeaked && finding.count == 1 && finding.account == scene.mina.email)
      for socket in sockets { await socket.abort() }
    }
    try await FaultScene.run { (scene) async throws in
      let socket = try await scene.joined(.webSocket)
      for number in 1..<5 {
        #expect(try await Self.findings(scene) == [])
        let room = try await scene.mina.channel("room \(number)", in: scene.workspace)
        _ = try await socket.join(RoomNamespace(.channel, String(room.split(separator: "/").last ?? "")).name)
      }
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .namespacesNotLeft && finding.count == 5)
      await socket.abort()
    }
  }

  @Test("a review finds the same file sent twice, not different files")
  func uploads() async throws {
    try await FaultScene.run { (scene) async throws in
      func upload(_ name: String) async throws {
        let parts: [Support.World.Part] = [.text("content", ""), .file("files", Sample.jpeg, filename: name)]
        #expect(try await scene.mina.call(.POST, "\(scene.room)/chats", .multipart(parts)).status == 200)
      }
      try await upload("a.jpg")
      try await upload("b.jpg")
      #expect(try await Self.findings(scene) == [])
      try await upload("a.jpg")
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .sameUploadTwice && finding.count == 2)
      // A minute later a person may do so on purpose.
      scene.world.clock.advance(milliseconds: 61_000)
      try await upload("b.jpg")
      #expect(try await Self.findings(scene).count == 1)
    }
  }

  @Test("a review finds calls with the token of a session that was signed out")
  func afterSignOut() async throws {
    try await FaultScene.run { (scene) async throws in
      let other = try await scene.world.signIn(scene.mina, through: .october2024)
      #expect(try await scene.mina.call(.GET, "users/logout").status == 200)
      _ = try await other.get("workspaces")
      #expect(try await Self.findings(scene) == [])
      #expect(try await scene.mina.code(.GET, "workspaces") == "E02")
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .afterSignOut && finding.account == scene.mina.email && finding.count == 1)
    }
  }

  @Test("a review finds a client that leaves before a slow answer comes")
  func answerNotAwaited() async throws {
    try await FaultScene.run { (scene) async throws in
      // Much later than the client leaves, also where everything takes long.
      let rule = FaultRule(
        FaultEffect(.latency) { $0.milliseconds = 30_000 }, match: FaultMatch { $0.operation = "me" })
      try await scene.kit.faults.add(rule)
      var request = HTTPClientRequest(url: "\(scene.world.url)/v1/users/me")
      request.headers = [HeaderName.apiKey: DevelopmentKey.october2024, HeaderName.authorization: scene.mina.token]
      await #expect(throws: HTTPClientError.self) {
        try await HTTPClient.shared.execute(request, timeout: .seconds(15))
      }
      _ = try await scene.world.call(.GET, "/_dev/journal?operation=me&wait=1m", key: nil)
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .answerNotAwaited && finding.account == scene.mina.email)
    }
  }

  @Test("a review finds a chat posted again although the server has it, not a repeated text")
  func doubledPost() async throws {
    try await FaultScene.run { (scene) async throws in
      _ = try await scene.mina.say("ok", in: scene.room)
      _ = try await scene.mina.say("ok", in: scene.room)
      #expect(try await Self.findings(scene) == [])
      let rule = FaultRule(
        FaultEffect(.answerLost),
        match: FaultMatch {
          $0.operation = "postToChannel"
          $0.times = 1
        })
      try await scene.kit.faults.add(rule)
      await #expect(throws: (any Error).self) { try await scene.mina.say("once", in: scene.room) }
      _ = try await scene.mina.say("once", in: scene.room)
      #expect(try await scene.contents().filter { $0 == "once" }.count == 2)
      let finding = try await Self.finding(scene)
      #expect(finding.habit == .doubledPost && finding.count == 2 && finding.account == scene.mina.email)
    }
  }

  @Test("a review can be limited to a person and to later entries; unknown parameters are refused")
  func parameters() async throws {
    try await FaultScene.run { (scene) async throws in
      for _ in 0..<3 { #expect(try await Self.refresh(scene.mina).status == 200) }
      func report(_ query: String) async throws -> Review.Report {
        let answer = try await scene.world.call(.GET, "/_dev/review?\(query)", key: nil)
        return try JSONDecoder().decode(Review.Report.self, from: Data(answer.body))
      }
      func count(_ query: String) async throws -> Int { try await report(query).findings.count }
      #expect(try await count("account=MINA@example.com") == 1)
      #expect(try await count("account=mina") == 1)
      _ = try await scene.world.signUp("Joon")
      #expect(try await count("account=joon@example.com") == 0)
      // At least the refreshes are not looked at.
      #expect(try await report("account=joon").looked <= report("account=mina").looked - 3)
      let unknown = try await scene.world.call(.GET, "/_dev/review?account=nobody", key: nil)
      #expect(
        unknown.status == 400
          && String(decoding: unknown.body, as: UTF8.self).contains("there is no person with the e-mail"))
      #expect(try await count("after=\(scene.kit.journal.last)") == 0)
      #expect(try await scene.world.call(.GET, "/_dev/review?after=x", key: nil).status == 400)
      #expect(try await scene.world.call(.GET, "/_dev/review?who=x", key: nil).status == 400)
    }
  }
}
