import Foundation
import MadangAPI
import MadangServer
import NIOCore
import NIOHTTP1
import Storage
import Support
import Synchronization
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Mails", .timeLimit(.minutes(5)))
struct MailTests {
  /// Answers each attempt with the given result for its number, from 1; nil accepts the mail.
  private final class Sender: MailSender {
    private let fault: @Sendable (Int) -> (any Error)?
    private let state = Mutex((tries: 0, taken: [String]()))

    init(_ fault: @escaping @Sendable (Int) -> (any Error)? = { _ in nil }) { self.fault = fault }

    var tries: Int { state.withLock(\.tries) }
    var taken: [String] { state.withLock(\.taken) }

    func send(_ mail: ClaimedMail) throws {
      let number = state.withLock { state in
        state.tries += 1
        return state.tries
      }
      if let error = fault(number) { throw error }
      state.withLock { $0.taken.append(mail.mail.subject) }
    }
  }

  private struct Passing: Error {}

  /// A world without a sender of mails.
  private static func withoutQueue(
    _ engine: TestEngine, limit: Int = 100, _ body: @Sendable @escaping (World) async throws -> Void
  ) async throws {
    var settings = World.settings(\.mailing.queue, limit)
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    try await World.run(engine, settings: settings, body)
  }

  private static func queue(_ world: World, _ subject: String, lifetime: Int64 = 3_600_000) async throws {
    try await world.server.madang.queue(
      Mail(.test, to: "mina@example.com", subject: subject, body: "B"), lifetime: lifetime)
  }

  private static func running(
    _ world: World, _ senders: [any MailSender], _ settings: MailSettings = MailSettings(),
    metrics: Metrics = Metrics(),
    _ body: () async throws -> Void
  ) async throws {
    let tasks = senders.map { sender in
      let queue = MailQueue(
        madang: world.server.madang, sender: sender, settings: settings, metrics: metrics, stopPatience: longWait)
      return Task { try await queue.run() }
    }
    try await body()
    for task in tasks {
      task.cancel()
      _ = await task.result
    }
  }

  private static func isEmpty(_ world: World) async throws -> Bool {
    try await World.eventually { try await world.server.madang.waitingMails() == 0 }
  }

  @Test("each mail is sent once by several servers and then deleted", arguments: TestEngine.available)
  func once(_ engine: TestEngine) async throws {
    try await Self.withoutQueue(engine) { (world) async throws in
      for number in 0..<40 { try await Self.queue(world, "\(number)") }
      let senders = [Sender(), Sender()]
      let metrics = Metrics()
      try await Self.running(world, senders, metrics: metrics) { () async throws in
        #expect(try await Self.isEmpty(world))
      }
      let taken = senders.flatMap(\.taken)
      #expect(taken.count == 40 && Set(taken).count == 40)
      #expect(metrics.now.mails[.sent] == 40)
    }
  }

  @Test("a mail that is not accepted is repeated after pauses that double", arguments: TestEngine.available)
  func again(_ engine: TestEngine) async throws {
    try await Self.withoutQueue(engine) { (world) async throws in
      let madang = world.server.madang
      let mail = Mail(.test, to: "mina@example.com", subject: "S", body: "B")
      let sender = Sender { $0 <= 2 ? Passing() : nil }
      try await Self.running(world, [sender]) { () async throws in
        try await madang.queue(mail, lifetime: 3_600_000)
        #expect(try await World.eventually { sender.tries == 1 })
        for (pause, tries) in [(Int64(30_000), 2), (60_000, 3)] {
          // Its pause is written before the clock moves on.
          #expect(try await World.eventually { try await Self.pauses(world, pause) })
          world.clock.advance(milliseconds: pause)
          #expect(try await World.eventually { sender.tries == tries })
        }
        #expect(try await Self.isEmpty(world))
      }
      #expect(sender.taken == ["S"])
    }
  }

  /// Whether the only mail waits for a pause in milliseconds, or for up to 30 seconds less: the database's clock goes on by itself.
  private static func pauses(_ world: World, _ pause: Int64) async throws -> Bool {
    let madang = world.server.madang
    let left = try await madang.database.read { [now = madang.claimTime] transaction in
      try transaction.all("SELECT next_at - \(sql: now) AS pause FROM mails") { try $0.get("pause", as: Int64.self) }
    }
    return left.count == 1 && (pause - 29_999...pause).contains(left[0])
  }

  @Test(
    "a mail that is refused, tried too often or too old is given up and counted", arguments: TestEngine.available)
  func givenUp(_ engine: TestEngine) async throws {
    try await Self.withoutQueue(engine) { (world) async throws in
      let metrics = Metrics()
      try await Self.queue(world, "refused")
      let refusing = Sender { _ in MailRefused(reason: "RCPT TO was answered 550", isByServer: true) }
      try await Self.running(world, [refusing], metrics: metrics) { () async throws in
        #expect(try await Self.isEmpty(world))
      }
      var settings = MailSettings()
      settings.attempts = 1
      try await Self.queue(world, "tried")
      let failing = Sender { _ in Passing() }
      try await Self.running(world, [failing], settings, metrics: metrics) { () async throws in
        #expect(try await Self.isEmpty(world))
      }
      try await Self.queue(world, "old", lifetime: 1000)
      let claimed = try await world.server.madang.claimMails(limit: 1, for: 3_600_000)
      #expect(claimed.count == 1)
      world.clock.advance(milliseconds: 1000)
      let idle = Sender()
      try await Self.running(world, [idle], metrics: metrics) { () async throws in
        #expect(try await Self.isEmpty(world))
      }
      #expect(refusing.tries == 1 && failing.tries == 1 && idle.tries == 0)
      #expect(metrics.now.mails == [.refused: 1, .expired: 2])
    }
  }

  @Test(
    "a mail with an unknown outcome is sent at most three times",
    arguments: TestEngine.available)
  func unanswered(_ engine: TestEngine) async throws {
    try await Self.withoutQueue(engine) { (world) async throws in
      try await Self.queue(world, "S")
      let metrics = Metrics()
      let senders = (1...3).map { _ in Sender { _ in MailUnanswered(reason: "the connection ended") } }
      for (sender, pause) in zip(senders, [Int64(30_000), 60_000, 0]) {
        try await Self.running(world, [sender], metrics: metrics) { () async throws in
          #expect(try await World.eventually { sender.tries == 1 })
          #expect(
            try await World.eventually {
              if pause == 0 { return try await world.server.madang.waitingMails() == 0 }
              return try await Self.pauses(world, pause)
            })
        }
        world.clock.advance(milliseconds: pause)
      }
      #expect(senders.map(\.tries) == [1, 1, 1])
      #expect(metrics.now.mails == [.putOff: 2, .expired: 1])
    }
  }

  /// Sends until it is cut off.
  private struct EndlessSender: MailSender {
    let begun: AsyncStream<Void>.Continuation

    func send(_ mail: ClaimedMail) async throws {
      begun.yield()
      // Because the outcome of the mail is unknown.
      do { try await Task.sleep(for: .seconds(3600)) } catch { throw MailUnanswered(reason: "cut off") }
    }
  }

  @Test(
    "a mail that was on its way when its server stopped may be sent by another one at once",
    arguments: TestEngine.available)
  func stopped(_ engine: TestEngine) async throws {
    try await Self.withoutQueue(engine) { (world) async throws in
      try await Self.queue(world, "S")
      let (begins, begun) = AsyncStream.makeStream(of: Void.self)
      try await Self.running(world, [EndlessSender(begun: begun)]) { () async throws in
        for await _ in begins { break }
      }
      let claimed = try await world.server.madang.claimMails(limit: 1, for: 1000)
      #expect(claimed.map(\.attempt) == [2] && claimed.map(\.unanswered) == [1])
    }
  }

  @Test("replies about this server are told apart from replies about the recipient")
  func enhancedCodes() {
    for (code, line, enhanced, isAboutSender) in [
      (550, "5.1.1 no such user", "5.1.1", false), (550, "5.7.1 relaying denied", "5.7.1", true),
      (554, "5.7.133 not allowed", "5.7.133", true), (530, "Authentication required", nil, true),
      (535, "", nil, true), (550, "5.7 x", nil, false), (550, "5.7.1x", nil, false), (550, "5.7.1111", nil, false),
      (550, "4.7.1 of another class", nil, false), (550, "mina@example.com 5.7.1", nil, false), (250, "OK", nil, false),
    ] as [(Int, String, String?, Bool)] {
      let reply = SMTPReply(code: code, lines: [line])
      #expect(reply.enhanced == enhanced && reply.isAboutSender == isAboutSender, "\(code) \(line)")
    }
    #expect(!SMTPReply(code: 550, lines: []).isAboutSender)
  }

  @Test("a server that lost its claim changes nothing of the mail", arguments: TestEngine.available)
  func claims(_ engine: TestEngine) async throws {
    try await Self.withoutQueue(engine) { (world) async throws in
      let madang = world.server.madang
      try await Self.queue(world, "S")
      let first = try #require(try await madang.claimMails(limit: 1, for: 60_000).first)
      #expect(try await madang.claimMails(limit: 1, for: 1000).isEmpty)
      world.clock.advance(milliseconds: 60_000)
      let second = try #require(try await madang.claimMails(limit: 1, for: 3_600_000).first)
      #expect(second.attempt == 2 && second.id == first.id)
      try await madang.putOff(first, for: 0, because: nil)
      #expect(try await madang.claimMails(limit: 1, for: 1000).isEmpty)
      try await madang.finish(first)
      #expect(try await madang.waitingMails() == 1)
      try await madang.finish(second)
      #expect(try await madang.waitingMails() == 0)
    }
  }

  @Test("the queue of mails is limited", arguments: TestEngine.available)
  func full(_ engine: TestEngine) async throws {
    try await Self.withoutQueue(engine, limit: 2) { (world) async throws in
      for _ in 0..<2 { try await Self.queue(world, "S") }
      await #expect(throws: MailLeftOut.self) { try await Self.queue(world, "S") }
      #expect(try await world.server.madang.waitingMails() == 2)
    }
  }

  @Test("development mode keeps mails to be read by tests", arguments: TestEngine.available)
  func mailbox(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let madang = world.server.madang
      for name in ["Mina", "joon"] {
        try await madang.queue(
          Mail(.test, to: "\(name)@example.com", subject: "Hello", body: "A\nB\n"), lifetime: 1000)
      }
      #expect(
        try await World.eventually {
          try await world.call(.GET, "/_dev/mails", key: nil).json.list?.count == 2
        })
      let mails = try await world.call(.GET, "/_dev/mails?to=mina@example.com", key: nil).json.list
      #expect(mails?.count == 1 && mails?.first?["body"]?.string == "A\nB\n")
      #expect(mails?.first?["to"]?.string == "Mina@example.com" && mails?.first?["kind"]?.string == "test")
      #expect(try await world.call(.GET, "/_dev/mails?after=2", key: nil).json.list?.isEmpty == true)
      #expect(try await world.call(.GET, "/_dev/mails?after=x", key: nil).status == 400)
      let isCounted = try await World.eventually {
        let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
        return page.contains("madang_mails_total{outcome=\"sent\"} 2\n")
      }
      #expect(isCounted)
    }
  }

  @Test("a mail is short lines of ASCII, and its text cannot become a header")
  func message() throws {
    let evil = "Hi\r\nBcc: x@y.zz\n\n각각각각각각각각각각각각각각각각각각각각각각각각각각"
    let from = try #require(MailAddress("chat@example.com"))
    let text = MailMessage(
      mail: ClaimedMail(
        id: 7,
        mail: Mail(.test, to: "mina@example.com", subject: evil, body: ".\n" + String(repeating: "= ", count: 99)),
        createdAt: 1_700_000_000_123, attempt: 1),
      from: from, name: "A\"B <c>", to: try #require(MailAddress("mina@example.com"))
    ).text
    let lines = text.components(separatedBy: "\r\n")
    #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } })
    let names = lines.prefix { !$0.isEmpty }.filter { !$0.hasPrefix(" ") }.map { $0.prefix { $0 != ":" } }
    #expect(
      names == [
        "Date", "From", "To", "Subject", "Message-ID", "MIME-Version", "Auto-Submitted", "Content-Type",
        "Content-Transfer-Encoding",
      ])
    #expect(lines.first == "Date: Tue, 14 Nov 2023 22:13:20 +0000")
    #expect(text.contains("\r\n\r\n.\r\n=3D =3D"))
    #expect(String(decoding: SMTPSender.data(".a\r\nb.\r\n..\r\n"), as: UTF8.self) == "..a\r\nb.\r\n...\r\n.\r\n")
  }

  @Test("a mail with HTML has its text first, and no text can end a part")
  func alternative() throws {
    let from = try #require(MailAddress("chat@example.com"))
    let mail = Mail(.test, to: "mina@example.com", subject: "S", body: "--=_madang--\n가\n")
    let text = MailMessage(
      mail: ClaimedMail(id: 7, mail: mail, createdAt: 1, attempt: 1, html: "<p>--=_madang\n가</p>\n"), from: from,
      name: "M", to: try #require(MailAddress("mina@example.com"))
    ).text
    #expect(text.utf8.allSatisfy { $0 < 0x7f } && text.contains("multipart/alternative; boundary=\"=_madang\"\r\n\r\n"))
    let parts = text.components(separatedBy: "\r\n--=_madang")
    #expect(parts.count == 4 && parts.last == "--\r\n")
    #expect(parts[1].hasPrefix("\r\nContent-Type: text/plain; charset=utf-8\r\n") && parts[1].contains("=EA=B0=80"))
    #expect(
      parts[2].hasPrefix("\r\nContent-Type: text/html; charset=utf-8\r\n") && parts[2].contains("<p>--=3D_madang"))
  }

  @Test(
    "an address that would change an SMTP command is refused",
    arguments: [
      "", "a", "a@", "@b", "a@b@c", "a b@c.de", "a@b.cc>", "<a@b.cc", "a\r\nDATA@b.cc", "가@b.cc", "a@b.cc,d",
      "\"a\"@b.cc",
      "a\0@b.cc", String(repeating: "a", count: 250) + "@b.cc",
    ])
  func addresses(_ text: String) {
    #expect(MailAddress(text) == nil)
  }

  @Test("SMTP replies are read wherever they are cut; malformed or long ones are refused")
  func replies() throws {
    let text = "220 hi\r\n250-a\r\n250-AUTH PLAIN\r\n250 \r\n354\n"
    for size in 1...text.utf8.count {
      var parser = SMTPReplyParser()
      var found: [SMTPReply] = []
      let bytes = Array(text.utf8)
      for start in stride(from: 0, to: bytes.count, by: size) {
        try parser.add(ByteBuffer(bytes: bytes[start..<min(start + size, bytes.count)]))
        while let reply = try parser.next() { found.append(reply) }
      }
      #expect(found.map(\.code) == [220, 250, 354] && found[1].lines == ["a", "AUTH PLAIN", ""])
      #expect(parser.isEmpty)
    }
    for bad in [
      "hello\r\n", "99 x\r\n", "2500 x\r\n", "\r\n", "250-a\r\n220 b\r\n", "-12 x\r\n", "199 x\r\n",
      String(repeating: "2", count: 5000), String(repeating: "250-x\r\n", count: 101),
    ] {
      var parser = SMTPReplyParser()
      #expect(throws: BadSMTPReply.self, "\(bad.prefix(20))") {
        try parser.add(ByteBuffer(string: bad))
        while try parser.next() != nil {}
      }
    }
  }

  @Test("impossible mail settings are refused; only mail to this machine goes without TLS")
  func settings() {
    var mail = MailSettings()
    #expect(mail.problems(publicURL: "").isEmpty)
    (mail.server, mail.user) = ("mail.example.com:25", "x")
    let words = mail.problems(publicURL: "")
    #expect(words.map { String($0.prefix { $0 != ":" }) } == ["mail.smtp", "mail.from", "mail.user", "public.url"])
    (mail.server, mail.user, mail.from) = ("smtp://mail.example.com", "", "chat@example.com")
    #expect(mail.problems(publicURL: "https://x.yy").isEmpty)
    func security(_ url: String, _ tls: MailSettings.TLS) -> SMTPEndpoint.Security? { SMTPEndpoint(url, tls)?.security }
    #expect(SMTPEndpoint("smtp://h", .auto)?.port == 587 && SMTPEndpoint("smtps://h", .auto)?.port == 465)
    #expect(
      security("smtp://h", .auto) == .startTLS && security("smtp://127.0.0.1", .auto) == SMTPEndpoint.Security.none)
    #expect(
      security("smtp://[::1]:25", .required) == .startTLS && security("smtp://h", .off) == SMTPEndpoint.Security.none)
    #expect(security("smtps://h", .off) == .implicitTLS)
    for bad in ["http://h", "smtp://", "smtp://h/x", "smtp://u:p@h", "smtp://h:0", "smtp://h:70000", "smtp://h?x"] {
      #expect(SMTPEndpoint(bad, .auto) == nil, "\(bad)")
    }
  }
}
