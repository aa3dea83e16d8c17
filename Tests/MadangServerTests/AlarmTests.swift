import Foundation
import Logging
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Alarms", .timeLimit(.minutes(5)))
struct AlarmTests {
  private static let (hour, day): (Int64, Int64) = (3_600_000, 24 * 3_600_000)
  private static let recipient = "admin@example.com"
  private static let full = AlarmFinding.wrong("2.0 % of the disk are free", cure: "make room")

  private static func settings(_ change: (inout ServerSettings) -> Void = { _ in }) -> ServerSettings {
    var settings = World.settings(\.publicURL, "https://chat.example.com")
    settings.alarms.recipients = [recipient]
    (settings.alarmWatch.interval, settings.housekeepingTurn) = (.milliseconds(20), .milliseconds(20))
    change(&settings)
    return settings
  }

  private static func mails(_ world: World, to address: String = recipient) async throws -> [(
    subject: String, body: String
  )] {
    let mails = try await world.call(.GET, "/_dev/mails?to=\(address)", key: nil).json.list ?? []
    return mails.filter { $0["kind"]?.string == "alarm" }.map {
      ($0["subject"]?.string ?? "", $0["body"]?.string ?? "")
    }
  }

  private static func subjects(_ world: World, count: Int) async throws -> [String] {
    #expect(try await World.eventually { try await mails(world).count >= count })
    return try await mails(world).map(\.subject)
  }

  @Test(
    "many failed sign-ins raise one alarm, which ends after an hour", arguments: TestEngine.available)
  func signIns(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings { $0.alarmWatch.signIns = 3 }) { (world) async throws in
      for _ in 0..<3 {
        let answer = try await world.call(
          .POST, "users/login", .json(["email": "nobody@example.com", "password": "Passw0rd!"]))
        #expect(answer.code == "E03")
      }
      #expect(try await Self.subjects(world, count: 1) == ["Many sign-ins fail"])
      #expect(try await Self.mails(world)[0].body.contains("https://chat.example.com:\n"))
      world.clock.advance(milliseconds: Self.hour)
      #expect(try await Self.subjects(world, count: 2) == ["Many sign-ins fail", "Solved: Many sign-ins fail"])
    }
  }

  @Test("the alarm of failed sign-ins begins at its limit and ends at half of it")
  func signInLimits() {
    let told = (0...5).map { failed in
      switch AlarmWatch.signIns(failed: failed, limit: 4) {
      case .wrong: "wrong"
      case .right: "right"
      case nil: ""
      }
    }
    #expect(told == ["right", "right", "", "", "wrong", "wrong"])
    if case .right = AlarmWatch.signIns(failed: 0, limit: 1) {} else { Issue.record("it never ends") }
  }

  @Test(
    "an old backup raises an alarm each day until there is a new one; without any backup there is no alarm",
    arguments: TestEngine.available)
  func backups(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings { $0.alarmWatch.signIns = 1 }) { (world) async throws in
      let madang = world.server.madang
      world.clock.advance(milliseconds: 10 * Self.day)
      // Checked after the time has moved on, together with the finding about sign-ins.
      _ = try await world.call(.POST, "users/login", .json(["email": "nobody@example.com", "password": "Passw0rd!"]))
      #expect(try await Self.subjects(world, count: 1) == ["Many sign-ins fail"])
      try await madang.audit(.backupMade, subject: "there", detail: [:], by: .hana)
      world.clock.advance(milliseconds: Self.hour)
      #expect(try await Self.subjects(world, count: 2).last == "Solved: Many sign-ins fail")
      world.clock.advance(milliseconds: 2 * Self.day)
      let words = "There is no fresh backup"
      #expect(try await Self.subjects(world, count: 3).last == words)
      #expect(try await Self.mails(world).last?.body.contains("2 days old") == true)
      world.clock.advance(milliseconds: Self.day)
      #expect(try await Self.subjects(world, count: 4).suffix(2) == [words, words])
      try await madang.audit(.backupMade, subject: "there", detail: [:], by: .hana)
      world.clock.advance(milliseconds: Self.hour)
      #expect(try await Self.subjects(world, count: 5).suffix(3) == [words, words, "Solved: \(words)"])
    }
  }

  @Test(
    "one of several servers sends a shared alarm; each server sends its own",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func servers(_ engine: TestEngine) async throws {
    let settings = Self.settings {
      $0.alarms.recipients = [Self.recipient, "other@example.com"]
      $0.alarmWatch.interval = .seconds(3600)
    }
    try await World.pair(engine, settings: settings) { (first, second) async throws in
      @Sendable func tell(_ kind: AlarmKind, _ finding: AlarmFinding) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<4 {
            for (name, world) in [("a", first), ("b", second)] {
              group.addTask { try await world.server.madang.tell([kind: finding], of: name) }
            }
          }
          try await group.waitForAll()
        }
      }
      @Sendable func count() async throws -> Int {
        var count = 0
        for world in [first, second] {
          for address in settings.alarms.recipients { count += try await Self.mails(world, to: address).count }
        }
        return count
      }
      for (kind, mails) in [(AlarmKind.backup, 2), (.disk, 4)] {
        let before = try await count()
        try await tell(kind, Self.full)
        #expect(try await World.eventually { try await first.server.madang.waitingMails() == 0 })
        #expect(try await World.eventually { try await count() == before + mails })
        // Not at once: a moment later it may be wrong again.
        try await tell(kind, .right)
        try await tell(kind, Self.full)
        #expect(try await first.server.madang.waitingMails() == 0)
        for world in [first, second] { world.clock.advance(milliseconds: Self.hour) }
        try await tell(kind, .right)
        #expect(try await World.eventually { try await count() == before + 2 * mails })
        // Each is there before its row is gone.
        #expect(try await World.eventually { try await first.server.madang.waitingMails() == 0 })
      }
    }
  }

  @Test("an alarm counts as sent only if a mail was queued", arguments: TestEngine.available)
  func fullQueue(_ engine: TestEngine) async throws {
    let settings = Self.settings { ($0.mailing.queue, $0.alarmWatch.interval) = (0, .seconds(3600)) }
    try await World.run(engine, settings: settings) { (world) async throws in
      let madang = world.server.madang
      try await madang.tell([.disk: Self.full], of: "a")
      #expect(try await madang.database.read { try $0.alarms() }.isEmpty)
    }
  }

  @Test("an unusable certificate file raises an alarm, not only an expired one")
  func certificate() {
    var settings = TLSSettings()
    (settings.certificateFile, settings.keyFile) = ("/nowhere.pem", "/nowhere.key")
    let doctor = Doctor(Doctor.Options(), certificateEnd: { try $0.certificateEnd() }, logger: Logger(label: "test"))
    let missing = doctor.certificateFindings(settings)
    #expect(missing.count == 1 && missing[0].severity == .error)
  }

  @Test("a restarted server does not repeat alarms", arguments: TestEngine.available)
  func restart(_ engine: TestEngine) async throws {
    try await BackupScene.place(engine) { settings, _ in
      var settings = settings
      let other = Self.settings()
      (settings.publicURL, settings.alarms.recipients) = (other.publicURL, other.alarms.recipients)
      settings.alarmWatch.interval = .seconds(3600)
      let clock = World.stoppedClock
      try await World.run(settings, clock: clock) { world in
        try await world.server.madang.tell([.disk: Self.full], of: "a")
        #expect(try await Self.subjects(world, count: 1) == ["The disk is nearly full"])
        let body = try await Self.mails(world)[0].body
        #expect(body.contains("server a:") && body.contains("2.0 %") && body.contains("What to do: make room"))
      }
      try await World.run(settings, clock: clock) { world in
        let madang = world.server.madang
        try await madang.tell([.disk: Self.full], of: "a")
        #expect(try await madang.waitingMails() == 0)
        #expect(try await Self.mails(world).isEmpty)
        clock.advance(milliseconds: Self.day)
        // A provider of unknown state raises no alarm.
        try await madang.tell([:], of: "a")
        try await madang.tell([.disk: Self.full], of: "a")
        #expect(try await Self.subjects(world, count: 1) == ["The disk is nearly full"])
        // A server that is there no more.
        clock.advance(milliseconds: 2 * Self.day + 1)
        try await madang.tell([:], of: "b")
        try await madang.tell([.disk: .right], of: "a")
        #expect(try await Self.mails(world).count == 1)
      }
    }
  }

  @Test("a provider that was not asked raises no alarm, and mails have an hour")
  func troubles() {
    let troubles = Troubles()
    func told() -> String {
      switch troubles.finding(.mails, for: Self.hour, { .wrong($0.reason, cure: "") }) {
      case nil: "unknown"
      case .right: "right"
      case .wrong(let message, _): message
      }
    }
    #expect(told() == "unknown")
    // Once is not for an hour, however long nothing is tried.
    troubles.failed(.mails, because: "first", now: 1000)
    #expect(told() == "unknown")
    troubles.failed(.mails, because: "almost", now: 999 + Self.hour)
    #expect(told() == "unknown")
    troubles.failed(.mails, because: "last", now: 1000 + Self.hour)
    #expect(told() == "last")
    troubles.worked(.mails)
    #expect(told() == "right")
    troubles.failed(.mails, because: "again", now: 1000 + 2 * Self.hour)
    #expect(told() == "unknown")
    troubles.failed(.mails, because: "on another day", now: 1000 + 2 * Self.day)
    #expect(told() == "unknown")
  }

  @Test("a payment provider that refuses the settings raises an alarm; other failures do not")
  func payments() async {
    struct Provider: PaymentVerifier {
      let error: (any Error)?
      func payment(_ id: String, merchantID: String) throws -> Payment? {
        if let error { throw error }
        return nil
      }
    }
    let troubles = Troubles()
    let words: (Troubles.Trouble) -> AlarmFinding = { .wrong($0.reason, cure: "") }
    for (error, isKnown) in [
      (ProviderCalls.Unusable(status: 500) as (any Error)?, false), (ProviderCalls.TimedOut(), false),
      (ProviderCalls.Unusable(status: 401), true), (ProviderCalls.TimedOut(), true), (nil, true),
    ] {
      _ = try? await WatchedPayments(Provider(error: error), troubles).payment("", merchantID: "")
      #expect((troubles.finding(.payments, words) != nil) == isKnown)
    }
    if case .right? = troubles.finding(.payments, words) {} else { Issue.record("it has answered") }
  }

  @Test("malformed alarm addresses, too many of them, and those without mail settings are refused")
  func problems() {
    var settings = Self.settings()
    #expect(settings.problems().isEmpty)
    settings.alarms.recipients = ["x y"]
    #expect(settings.problems().count == 1)
    settings.alarms.recipients = Array(repeating: Self.recipient, count: 11)
    #expect(settings.problems().count == 1)
    (settings.alarms.recipients, settings.isDevelopment) = ([Self.recipient], false)
    #expect(settings.problems().contains { $0.hasPrefix("alarms.to: this server sends no mails") })
  }
}
