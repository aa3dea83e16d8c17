import Foundation
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@testable import MadangDevelopment

@Suite("Journal: mails and waiting lists", .timeLimit(.minutes(5)))
struct JournalMailTests {
  private static let publicURL = "https://chat.example.com"

  /// Mina asks for a new password.
  private func ask(_ scene: FaultScene, for email: String = "mina@example.com") async throws {
    #expect(
      try await scene.world.call(.POST, "/password", key: nil, .form("email=\(email.replacing("@", with: "%40"))"))
        .status == 200)
  }

  @Test(
    "a mail is recorded with its address, subject and language, without the code of its link",
    arguments: TestEngine.available)
  func mail(_ engine: TestEngine) async throws {
    try await FaultScene.run(engine, publicURL: Self.publicURL) { (scene) async throws in
      try await ask(scene)
      let entry = try #require(
        try await scene.entries("kind=mail&event=passwordReset&account=mina@example.com&wait=1m").first)
      #expect(entry.subject?.contains("password") == true && entry.language == "en" && entry.edition == nil)
      let text = try #require(entry.payload)
      #expect(text.contains("/password/***") && entry.size ?? 0 > text.utf8.count)
      let mails = try await scene.world.call(.GET, "/_dev/mails?to=mina@example.com&wait=1m", key: nil)
      let body = try #require(try JSON(mails.body).list?.first?["body"]?.string)
      let code = try #require(body.firstMatch(of: #/\/password\/([0-9a-f]{32})/#)?.1)
      #expect(!text.contains(code) && text == body.replacing(code, with: "***"))
      // As the request that led to it.
      let (status, outcome) = try await scene.expect(
        #"{"expected":[{"path":"/password"},{"kind":"mail","account":"mina"}],"order":"strict"}"#)
      #expect(status == 200, "\(outcome.differences)")
      #expect(entry.words == "mail passwordReset to mina@example.com (entry \(entry.number))")
    }
  }

  @Test("a call waits for mails and notifications, as soon as there are enough")
  func waiting() async throws {
    try await FaultScene.run(publicURL: Self.publicURL) { (scene) async throws in
      let joon = try await scene.world.signUp("Joon")
      _ = try await joon.post("users/deviceToken", ["deviceToken": "a-phone"])
      try await scene.mina.invite(joon, to: scene.workspace)
      let dm = try await scene.mina.directMessage(with: joon, in: scene.workspace)
      let began = ContinuousClock.now
      async let mails = scene.world.call(.GET, "/_dev/mails?to=Mina@example.com&wait=60s", key: nil)
      async let pushes = scene.world.call(.GET, "/_dev/pushes?wait=60s&count=1", key: nil)
      try await ask(scene)
      _ = try await scene.mina.say("Hi", in: dm)
      #expect(try JSON(try await mails.body).list?.count == 1)
      #expect(try JSON(try await pushes.body).list?.count == 1)
      #expect(ContinuousClock.now - began < .seconds(30))
      #expect(try await scene.world.call(.GET, "/_dev/mails?wait=50ms&count=2", key: nil).json.list?.count == 1)
      #expect(try await scene.entry("kind=push").account == "joon@example.com")
      for (query, words) in [
        ("mails?wait=61s", "wait: a length of time like"), ("pushes?wait=5s&count=-1", "count: how many to wait for"),
      ] {
        let refused = try await scene.world.call(.GET, "/_dev/\(query)", key: nil)
        #expect(refused.status == 400 && String(decoding: refused.body, as: UTF8.self).contains(words))
      }
    }
  }

  @Test(
    "codes in links of a text are masked, and nothing else is",
    arguments: [
      ("no link", "no link"), ("", ""), ("a/b", "a/b"),
      ("http://h/password/0123456789abcdef0123456789abcdef\nBye", "http://h/password/***\nBye"),
      ("http://h/invite/0123456789abcdef0123456789abcdef.", "http://h/invite/***."),
      ("http://h/v1/0123456789abcdef0123456789abcdef", "http://h/v1/0123456789abcdef0123456789abcdef"),
      ("http://h/password/short", "http://h/password/short"),
    ])
  func links(_ text: String, _ masked: String) { #expect(Secrets.maskedLinks(text) == masked) }

  @Test("a request is listed before the events that it caused, even if it is answered later")
  func causes() async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(.webSocket)
      let after = try await scene.journal().last
      try await scene.answerNextPostLate()
      #expect(try await scene.post("one").status == 200)
      let page = try await scene.journal("after=\(after)&wait=1m&count=2")
      #expect(page.entries.map(\.kind) == [.request, .packet])
      #expect(page.entries.map(\.number) == [after + 2, after + 1] && page.last == after + 2)
      await client.abort()
    }
  }
}
