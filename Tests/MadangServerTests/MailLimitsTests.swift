import Dispatch
import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Limits of mails", .timeLimit(.minutes(5)))
struct MailLimitsTests {
  private static let (hour, day): (Int64, Int64) = (3_600_000, 24 * 3_600_000)

  private static func settings(account: Int = 20, hour: Int = 1000) -> ServerSettings {
    var settings = World.settings(\.publicURL, "https://chat.example.com")
    (settings.mailing.accountDay, settings.mailing.hour) = (account, hour)
    (settings.passwords.resets, settings.registration.confirmationMails, settings.registration.confirmation) =
      (1000, 1000, .limited)
    return settings
  }

  /// What became of asking for links, as many at once.
  private static func ask(_ world: World, _ count: Int) async -> [MailLeftOut.Reason?] {
    await withTaskGroup(of: MailLeftOut.Reason?.self) { group in
      for number in 0..<count { group.addTask { await ask(world, number: number) } }
      return await group.reduce(into: []) { $0.append($1) }
    }
  }

  private static func ask(_ world: World, number: Int) async -> MailLeftOut.Reason? {
    let (madang, email) = (world.server.madang, "mina@example.com")
    do {
      if number.isMultiple(of: 2) {
        try await madang.sendPasswordReset(to: email, from: "")
      } else {
        try await madang.sendConfirmation(to: email, from: "")
      }
      return nil
    } catch { return (error as? MailLeftOut)?.reason }
  }

  private static func leftOut(_ world: World, _ reason: String) async throws -> Int? {
    let page = String(decoding: try await world.call(.GET, "/metrics", key: nil).body, as: UTF8.self)
    return page.split(separator: "\n").first { $0.hasPrefix("madang_mails_left_out_total{reason=\"\(reason)\"} ") }
      .flatMap { Int($0.split(separator: " ").last ?? "") }
  }

  @Test("mails to one account are limited per day, over all kinds", arguments: TestEngine.available)
  func account(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(account: 3)) { (world) async throws in
      _ = try await RegistrationTests.join(world, "mina@example.com")
      let results = await Self.ask(world, 8)
      #expect(results.count(where: { $0 == nil }) == 2 && results.count(where: { $0 == .account }) == 6)
      // Others are sent theirs.
      _ = try await RegistrationTests.join(world, "joon@example.com")
      #expect(try await Self.leftOut(world, "account") == 0)
      world.clock.advance(milliseconds: Self.day)
      let later = await Self.ask(world, 1)
      #expect(later == [nil])
      try await world.server.madang.forgetMailCounts()
      let kept: Int = try await world.server.madang.database.read { transaction in
        try transaction.one("SELECT COUNT(*) AS number FROM mail_counts") { try $0.get("number") }
      }
      #expect(kept == 2)
    }
  }

  @Test(
    "mails are limited per hour; beyond that a sign-up succeeds without its mail",
    arguments: TestEngine.available)
  func hour(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(hour: 4)) { (world) async throws in
      _ = try await RegistrationTests.join(world, "mina@example.com")
      var results: [MailLeftOut.Reason?] = []
      for _ in 0..<5 { results.append(await Self.ask(world, number: 0)) }
      #expect(results == [nil, nil, nil, .hour, .hour])
      #expect(try await RegistrationTests.join(world, "joon@example.com").status == 200)
      #expect(try await World.eventually { try await Self.leftOut(world, "hour") == 1 })
      let madang = world.server.madang
      try await madang.queue(Mail(.test, to: "admin@example.com", subject: "S", body: "B"), lifetime: Self.hour)
      world.clock.advance(milliseconds: Self.hour)
      let later = await Self.ask(world, 2)
      #expect(later == [nil, nil])
    }
  }

  @Test(
    "a write that queues a mail and does not end delays no other",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func hanging(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let madang = world.server.madang
      @Sendable func mail(_ transaction: Transaction) throws {
        let mail = Mail(.accountApproved, to: "mina@example.com", subject: "S", body: "B")
        try madang.queue(mail, of: nil, expiresAt: .max, in: transaction)
      }
      let (begun, beginning) = AsyncStream<Void>.makeStream()
      let end = DispatchSemaphore(value: 0)
      async let hanging: Void = madang.database.writeAside { transaction in
        try mail(transaction)
        beginning.finish()
        end.wait()
      }
      for await _ in begun {}
      try await madang.database.write { try mail($0) }
      end.signal()
      try await hanging
      let hour = world.clock.now - world.clock.now % Self.hour
      #expect(try await madang.database.read { try $0.mailCount(of: nil, nil, since: hour) } == 2)
    }
  }

  @Test("mails that confirm addresses use at most half of the hourly limit", arguments: TestEngine.available)
  func signUps(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings(hour: 4)) { (world) async throws in
      for name in ["mina", "joon", "sora", "dana"] {
        #expect(try await RegistrationTests.join(world, "\(name)@example.com").status == 200)
      }
      #expect(try await World.eventually { try await Self.leftOut(world, "hour") == 2 })
      for _ in 0..<2 { try await world.server.madang.sendPasswordReset(to: "mina@example.com", from: "") }
      await #expect(throws: MailLeftOut.self) {
        try await world.server.madang.sendPasswordReset(to: "mina@example.com", from: "")
      }
    }
  }

  @Test("deleting an account keeps mails for administrators", arguments: TestEngine.available)
  func deletion(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings()) { (world) async throws in
      let madang = world.server.madang
      _ = try await RegistrationTests.join(world, "admin@example.com")
      try await madang.database.write { _ = try $0.execute("DELETE FROM mails") }
      try await madang.database.write { transaction in
        for kind in MailKind.allCases {
          try transaction.insertMail(
            Mail(kind, to: "admin@example.com", subject: "S", body: "B"), now: world.clock.now, expiresAt: .max)
        }
        try transaction.execute("UPDATE mails SET next_at = \(sql: madang.claimTime) + \(Self.hour)")
      }
      _ = try await madang.deleteAccount(email: "admin@example.com", by: .hana)
      let kept: [String] = try await madang.database.read {
        try $0.all("SELECT kind FROM mails ORDER BY kind") { try $0.get("kind") }
      }
      #expect(kept == ["alarm", "approvalNeeded", "test"])
    }
  }
}
