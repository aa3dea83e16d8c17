import MadangOperations
import MadangServer
import Storage
import Support
import Testing

@testable import MadangCore

extension Administrator {
  /// The operator of the machine.
  fileprivate static let root = Administrator(name: "root")
}

/// An administrator with an authenticator app.
struct ConsoleUser: Sendable {
  static let password = "Persimmon1!"
  static let address = "198.51.100.7"
  static let idle: Int64 = 1_800_000

  let madang: Madang
  let name: String
  let app: Authenticator
  let signIn: AdministratorSignIn
  let recoveryCodes: [String]

  /// Adds an administrator by a new link.
  init(_ madang: Madang, _ name: String = "hana@example.com") async throws {
    let token = try await madang.makeAdministratorLink(byOperator: .root).token
    let opened = try await madang.openAdministratorLink(token: token, from: Self.address)
    app = Authenticator(opened.secret)
    (self.madang, self.name) = (madang, name)
    (signIn, recoveryCodes) = try await madang.addAdministrator(
      token: token, name: name, password: Self.password, code: app.code(madang.clock), from: Self.address)
    // The code of the setup does not count again.
    madang.clock.advance(milliseconds: 30_000)
  }

  var session: AdministratorSession { signIn.session }

  func signIn(
    _ password: String = password, code: String? = nil, from address: String = address
  ) async throws -> AdministratorSignIn {
    try await madang.signIn(
      administrator: name, password: password, code: code ?? app.code(madang.clock), from: address)
  }

  func isSignedIn(_ signIn: AdministratorSignIn? = nil, isActivity: Bool = false) async throws -> Bool {
    try await madang.administratorSession(
      token: (signIn ?? self.signIn).token, isActivity: isActivity, idle: Self.idle) != nil
  }
}

/// The code of the refusal of an operation; nil if it succeeds.
func refusal(_ body: () async throws -> Void) async throws -> AdministratorRefusal.Code? {
  do { try await body() } catch let refusal as AdministratorRefusal { return refusal.code }
  return nil
}

@Suite("Administrators", .timeLimit(.minutes(5)))
struct AdministratorsTests {
  /// Runs the body with an empty database.
  private func run(
    _ engine: TestEngine, _ body: @escaping @Sendable (Madang, World) async throws -> Void
  ) async throws {
    try await World.run(engine) { world in try await body(world.server.madang, world) }
  }

  @Test("a link adds one administrator, who signs in with password and code", arguments: TestEngine.available)
  func setup(_ engine: TestEngine) async throws {
    try await run(engine) { madang, world in
      let hana = try await ConsoleUser(madang)
      #expect(try await hana.isSignedIn())
      #expect(hana.recoveryCodes.count == 10 && Set(hana.recoveryCodes).count == 10)
      let signIn = try await hana.signIn()
      #expect(try await hana.isSignedIn(signIn) && signIn.session.name == hana.name)
      let list = try await madang.administrators()
      #expect(list.map(\.name) == [hana.name] && list.first?.recoveryCodes == 10)
      #expect(list.first?.address == ConsoleUser.address && list.first?.seenAt == madang.clock.now)
      try await madang.signOut(signIn.session)
      #expect(try await !hana.isSignedIn(signIn))
      #expect(try await hana.isSignedIn())
      let rows = try await AuditTests.entries(world, .administratorAdded, .administratorSignedIn)
      #expect(rows.map(\.actor) == ["administrator #1 \(hana.name)", "administrator #1 \(hana.name)"])
      #expect(rows.map(\.origin.address) == [ConsoleUser.address, ConsoleUser.address])
      #expect(rows.first?.detail["by"] == "madang admin web (root)")
    }
  }

  @Test("the database has neither tokens nor passwords nor recovery codes", arguments: TestEngine.available)
  func secrets(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let token = try await madang.makeAdministratorLink(byOperator: .root).token
      let secrets = [hana.signIn.token, token, ConsoleUser.password] + hana.recoveryCodes
      let stored = try await madang.database.read { transaction in
        try [
          "administrators", "administrator_codes", "administrator_sessions", "administrator_links",
          "administrator_tries", "audit",
        ]
        .flatMap { table in try transaction.all("SELECT * FROM \(raw: table)") { "\($0.values)" } }.joined()
      }
      for secret in secrets { #expect(!stored.contains(secret) && !stored.contains(secret.filter { $0 != "-" })) }
    }
  }

  @Test("a link counts once, for 30 minutes, and shows the same secret until then", arguments: TestEngine.available)
  func link(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let clock = madang.clock
      let token = try await madang.makeAdministratorLink(byOperator: .root).token
      let first = try await madang.openAdministratorLink(token: token, from: "a")
      let second = try await madang.openAdministratorLink(token: token, from: "b")
      #expect(first.secret == second.secret && first.isFirst && second.isFirst)
      let app = Authenticator(first.secret)
      @Sendable func add(_ name: String, _ password: String = ConsoleUser.password, code: String? = nil) async throws
        -> AdministratorRefusal.Code?
      {
        try await refusal {
          _ = try await madang.addAdministrator(
            token: token, name: name, password: password, code: code ?? app.code(clock), from: "a")
        }
      }
      #expect(try await add("hana", "password1") == .weak)
      #expect(try await add("hana", "Password1!") == .refused, "a common one")
      #expect(try await add(" ") == .refused)
      #expect(try await add("a\u{0}b") == .refused)
      #expect(try await add("hana", code: app.code(clock, ahead: 2)) == .code)
      // Two browsers with one link.
      async let one = add("hana")
      async let other = add("joon")
      let results = try await [one, other]
      #expect(results.count { $0 == nil } == 1 && results.count { $0 == .link } == 1, "\(results)")
      #expect(try await add("mina") == .link)
      #expect(try await madang.administrators().count == 1)
      #expect(try await refusal { _ = try await madang.openAdministratorLink(token: "x", from: "a") } == .link)

      let late = try await madang.makeAdministratorLink(byOperator: .root).token
      clock.advance(milliseconds: 1_799_999)
      #expect(try await !madang.openAdministratorLink(token: late, from: "c").isFirst)
      clock.advance(milliseconds: 1)
      #expect(try await refusal { _ = try await madang.openAdministratorLink(token: late, from: "c") } == .link)
      #expect(try await madang.administratorLinks().isEmpty)
    }
  }

  @Test("names differ in more than case and composition", arguments: TestEngine.available)
  func names(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let amelie = try await ConsoleUser(madang, "Am\u{E9}lie")
      #expect(try await refusal { _ = try await ConsoleUser(madang, "AME\u{301}LIE") } == .taken)
      _ = try await madang.signIn(
        administrator: " ame\u{301}lie ", password: ConsoleUser.password, code: amelie.app.code(madang.clock),
        from: ConsoleUser.address)
    }
  }

  @Test("a name with unseen characters, or that looks like another one, is refused", arguments: TestEngine.available)
  func looks(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      _ = try await ConsoleUser(madang, "hana")
      for name in [
        "ha\u{200B}na", "\u{202E}anah", "a\u{2028}b", "\u{3164}", "\u{301}", "\u{2800}", "a\u{AD}b", "a\u{FE0F}b",
        "madang admin web (root)", "Madang\u{A0}ADMIN",
      ] {
        #expect(
          try await refusal { _ = try await ConsoleUser(madang, name) } == .refused,
          "\(name.unicodeScalars.map(\.value))")
      }
      #expect(try await refusal { _ = try await ConsoleUser(madang, "\u{FF28}\u{FF41}na") } == .taken)
      _ = try await ConsoleUser(madang, "하나 é 1")
    }
  }

  @Test("a full network leaves no count of the names that it tries", arguments: TestEngine.available)
  func fullNetwork(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      for index in 0..<8 {
        _ = try await refusal {
          _ = try await madang.signIn(administrator: "x\(index)", password: "y", code: "1", from: "203.0.113.1")
        }
      }
      let rows = try await madang.database.read { transaction in
        try transaction.all("SELECT tries FROM administrator_tries") { try $0.get("tries") as Int }
      }
      #expect(rows.sorted() == [1, 1, 1, 1, 1, 5])
    }
  }

  @Test(
    "five wrong codes of a new authenticator drop it, and are refusals of the administrator",
    arguments: TestEngine.available)
  func wrongCodes(_ engine: TestEngine) async throws {
    try await run(engine) { madang, world in
      let hana = try await ConsoleUser(madang)
      let secret = try await madang.beginSecondStep(
        of: hana.session, password: ConsoleUser.password, at: ConsoleUser.address)
      let app = Authenticator(secret)
      @Sendable func finish(_ code: String) async throws -> AdministratorRefusal.Code? {
        try await refusal {
          _ = try await madang.finishSecondStep(of: hana.session, code: code, at: ConsoleUser.address)
        }
      }
      for _ in 1...5 { #expect(try await finish("nonsense") == .code) }
      #expect(try await finish(app.code(madang.clock)) == .wait)
      madang.clock.advance(milliseconds: 60_000)
      #expect(try await finish(app.code(madang.clock)) == .code)
      let rows = try await AuditTests.entries(world, .administratorRefused)
      #expect(rows.count == 6 && rows.allSatisfy { $0.actor == "administrator #1 \(hana.name)" })
    }
  }

  @Test("unknown name, wrong password and wrong code are refused alike", arguments: TestEngine.available)
  func alike(_ engine: TestEngine) async throws {
    try await run(engine) { madang, world in
      let hana = try await ConsoleUser(madang)
      let code = hana.app.code(madang.clock)
      let attempts = [
        (hana.name, "Wrong1234!", code), (hana.name, ConsoleUser.password, hana.app.code(madang.clock, ahead: 2)),
        (hana.name, ConsoleUser.password, "nonsense"), ("mallory", ConsoleUser.password, code),
        ("a\u{0}\n\(String(repeating: "x", count: 300))", String(repeating: "y", count: 5000), "abcde-fghij"),
      ]
      for (index, (name, password, code)) in attempts.enumerated() {
        let error = await #expect(throws: AdministratorRefusal.self) {
          _ = try await madang.signIn(administrator: name, password: password, code: code, from: "203.0.113.\(index)")
        }
        #expect(error == (code.contains("-") ? .recovery : AdministratorRefusal.credentials), "\(name)")
      }
      let rows = try await AuditTests.entries(world, .administratorRefused)
      #expect(
        rows.map { $0.detail["why"] } == ["wrong password", "wrong code", "wrong code", "unknown name", "unknown name"])
      #expect(rows.last?.subject.count == 200)
      _ = try await hana.signIn()
    }
  }

  @Test("a code counts once, also if two sign-ins use it at once", arguments: TestEngine.available)
  func codeOnce(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      async let one = refusal { _ = try await hana.signIn(from: "203.0.113.1") }
      async let other = refusal { _ = try await hana.signIn(from: "203.0.113.2") }
      let results = try await [one, other]
      #expect(results.count { $0 == nil } == 1 && results.count { $0 == .credentials } == 1, "\(results)")
      #expect(try await refusal { _ = try await hana.signIn(from: "203.0.113.3") } == .credentials)
      _ = try await hana.signIn(code: hana.app.code(madang.clock, ahead: 1))
      #expect(try await refusal { _ = try await hana.signIn(code: hana.app.code(madang.clock)) } == .credentials)
    }
  }

  @Test("codes and sessions of a time when the clock was ahead do not last until then", arguments: TestEngine.available)
  func wrongClock(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let now = madang.clock.now
      madang.clock.advance(milliseconds: 100 * 24 * 3_600_000)
      let ahead = try await hana.signIn()
      madang.clock.set(now)
      #expect(try await !hana.isSignedIn(ahead, isActivity: true))
      let signIn = try await hana.signIn()
      #expect(try await hana.isSignedIn(signIn))
      #expect(try await refusal { _ = try await hana.signIn() } == .credentials)
    }
  }

  @Test("a recovery code counts once, also if two sign-ins use it at once", arguments: TestEngine.available)
  func recoveryOnce(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let code = hana.recoveryCodes[3]
      async let one = refusal { _ = try await hana.signIn(code: code, from: "203.0.113.1") }
      async let other = refusal {
        _ = try await hana.signIn(code: code.uppercased().filter { $0 != "-" }, from: "203.0.113.2")
      }
      let results = try await [one, other]
      #expect(results.count { $0 == nil } == 1 && results.count { $0 == .recovery } == 1, "\(results)")
      #expect(try await madang.administrators().first?.recoveryCodes == 9)
      _ = try await hana.signIn(code: hana.recoveryCodes[0])
      #expect(try await refusal { _ = try await hana.signIn(code: code) } == .recovery)
    }
  }

  @Test(
    "five attempts a minute at a name, and from an address; the owner's address is counted apart",
    arguments: TestEngine.available)
  func tries(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      for index in 1...5 {
        #expect(
          try await refusal { _ = try await hana.signIn("Wrong1234!", from: "203.0.113.\(index)") } == .credentials)
      }
      let error = await #expect(throws: AdministratorRefusal.self) { _ = try await hana.signIn(from: "203.0.113.9") }
      #expect(error?.code == .wait && error?.retryAfter == 60)
      _ = try await hana.signIn()
      // One address, many names; the right one too.
      for index in 1...5 {
        #expect(
          try await refusal {
            _ = try await madang.signIn(
              administrator: "n\(index)", password: "x", code: "1", from: "2001:db8::\(index)")
          } == .credentials)
      }
      #expect(try await refusal { _ = try await hana.signIn(from: "2001:db8::9") } == .wait)
      // A refused attempt counts for nothing: the name is free again after a minute.
      madang.clock.advance(milliseconds: 60_000)
      _ = try await hana.signIn(from: "2001:db8::9")
      for _ in 1...5 {
        #expect(try await refusal { _ = try await madang.openAdministratorLink(token: "x", from: "10.0.0.1") } == .link)
      }
      #expect(try await refusal { _ = try await madang.openAdministratorLink(token: "x", from: "10.0.0.1") } == .wait)
    }
  }

  @Test("ten attempts at once are five attempts", arguments: TestEngine.available)
  func parallelTries(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let results = try await withThrowingTaskGroup(of: AdministratorRefusal.Code?.self) { group in
        for index in 1...10 {
          group.addTask { try await refusal { _ = try await hana.signIn("Wrong1234!", from: "203.0.113.\(index)") } }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      #expect(results.count { $0 == .credentials } == 5 && results.count { $0 == .wait } == 5, "\(results)")
    }
  }

  @Test("the counts of attempts and the rows about them are bounded", arguments: TestEngine.available)
  func bounded(_ engine: TestEngine) async throws {
    try await run(engine) { madang, world in
      let small = madang.with { ($0.administrators.triers, $0.administrators.refusals) = (4, 3) }
      for index in 1...12 {
        _ = try await refusal {
          _ = try await small.signIn(administrator: "n\(index)", password: "x", code: "1", from: "10.0.\(index).1")
        }
        madang.clock.advance(milliseconds: 10)
      }
      let kept = try await madang.database.read {
        try $0.one("SELECT COUNT(*) AS n FROM administrator_tries") { try $0.get("n") as Int }
      }
      #expect(kept <= 6)
      #expect(try await AuditTests.entries(world, .administratorRefused).count == 3)
    }
  }

  @Test(
    "a session ends 30 minutes after its last activity, and 12 hours after its begin", arguments: TestEngine.available)
  func sessionEnds(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let polling = try await hana.signIn()
      for _ in 1...3 {
        madang.clock.advance(milliseconds: 599_000)
        #expect(try await hana.isSignedIn(isActivity: true))
        #expect(try await hana.isSignedIn(polling))
      }
      madang.clock.advance(milliseconds: 3000)
      #expect(try await !hana.isSignedIn(polling), "polls are no activity")
      for _ in 1...68 {
        madang.clock.advance(milliseconds: 600_000)
        #expect(try await hana.isSignedIn(isActivity: true))
      }
      madang.clock.advance(milliseconds: 600_000)
      #expect(try await !hana.isSignedIn(isActivity: true))
      try await madang.forgetAdministratorRemains()
      let left = try await madang.database.read {
        try $0.one("SELECT COUNT(*) AS n FROM administrator_sessions") { try $0.get("n") as Int }
      }
      #expect(left == 0)
    }
  }

  @Test("the eleventh session of an administrator ends the oldest", arguments: TestEngine.available)
  func sessions(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      var all: [AdministratorSignIn] = []
      for _ in 1...10 {
        madang.clock.advance(milliseconds: 30_000)
        all.append(try await hana.signIn())
      }
      #expect(try await !hana.isSignedIn())
      for one in all { #expect(try await hana.isSignedIn(one)) }
    }
  }

  @Test("a new password ends the other sessions and the links of the administrator", arguments: TestEngine.available)
  func password(_ engine: TestEngine) async throws {
    try await run(engine) { madang, world in
      let hana = try await ConsoleUser(madang)
      let other = try await hana.signIn()
      _ = try await madang.makeAdministratorLink(
        by: other.session, password: ConsoleUser.password, at: ConsoleUser.address)
      _ = try await madang.makeAdministratorLink(byOperator: .root)
      let next = "Landscape2!"
      @Sendable func change(from old: String, to new: String) async throws -> AdministratorRefusal.Code? {
        try await refusal {
          try await madang.changePassword(of: hana.session, from: old, to: new, at: ConsoleUser.address)
        }
      }
      #expect(try await change(from: "Wrong1234!", to: next) == .credentials)
      #expect(try await change(from: ConsoleUser.password, to: "short") == .weak)
      #expect(try await change(from: ConsoleUser.password, to: next) == nil)
      #expect(try await hana.isSignedIn())
      #expect(try await !hana.isSignedIn(other))
      #expect(try await madang.administratorLinks().map(\.by) == ["madang admin web (root)"])
      madang.clock.advance(milliseconds: 60_000)
      #expect(try await refusal { _ = try await hana.signIn() } == .credentials)
      _ = try await hana.signIn(next)
      #expect(
        try await refusal {
          _ = try await madang.makeAdministratorLink(by: other.session, password: next, at: ConsoleUser.address)
        } == .signedOut)
      let changed = try await AuditTests.entries(world, .administratorChanged).last
      #expect(changed?.detail == ["what": "password", "sessions": "1"] && changed?.subject == hana.name)
    }
  }

  @Test("guessing the password within a session is limited like signing in", arguments: TestEngine.available)
  func guessing(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      @Sendable func make(_ password: String) async throws -> AdministratorRefusal.Code? {
        try await refusal {
          _ = try await madang.makeAdministratorLink(by: hana.session, password: password, at: "203.0.113.1")
        }
      }
      for _ in 1...5 { #expect(try await make("Wrong1234!") == .credentials) }
      #expect(try await make(ConsoleUser.password) == .wait)
    }
  }

  @Test(
    "a new authenticator counts from its first code on, and ends the old one and its recovery codes",
    arguments: TestEngine.available)
  func secondStep(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let old = hana.recoveryCodes[0]
      func finish(_ code: String) async throws -> [String] {
        try await madang.finishSecondStep(of: hana.session, code: code, at: ConsoleUser.address)
      }
      #expect(try await refusal { _ = try await finish("123456") } == .code)
      let secret = try await madang.beginSecondStep(
        of: hana.session, password: ConsoleUser.password, at: ConsoleUser.address)
      let app = Authenticator(secret)
      #expect(try await refusal { _ = try await finish(hana.app.code(madang.clock)) } == .code)
      _ = try await hana.signIn()
      madang.clock.advance(milliseconds: 600_000)
      #expect(try await refusal { _ = try await finish(app.code(madang.clock)) } == .code, "after ten minutes")
      let again = Authenticator(
        try await madang.beginSecondStep(of: hana.session, password: ConsoleUser.password, at: ConsoleUser.address))
      let codes = try await finish(again.code(madang.clock))
      #expect(codes.count == 10)
      madang.clock.advance(milliseconds: 60_000)
      #expect(try await refusal { _ = try await hana.signIn() } == .credentials)
      #expect(try await refusal { _ = try await hana.signIn(code: old) } == .recovery)
      _ = try await hana.signIn(code: again.code(madang.clock))
      _ = try await hana.signIn(code: codes[9])
    }
  }

  @Test(
    "a removed administrator is signed out at once; the last one cannot be removed by the page",
    arguments: TestEngine.available)
  func removal(_ engine: TestEngine) async throws {
    try await run(engine) { madang, world in
      let hana = try await ConsoleUser(madang)
      @Sendable func remove(_ number: Int64, by one: ConsoleUser) async throws -> AdministratorRefusal.Code? {
        try await refusal {
          try await madang.removeAdministrator(
            number, password: ConsoleUser.password, by: one.session, at: ConsoleUser.address)
        }
      }
      #expect(try await remove(hana.session.account, by: hana) == .last)
      let joon = try await ConsoleUser(madang, "joon")
      #expect(try await remove(99, by: hana) == .notFound)
      _ = try await madang.makeAdministratorLink(
        by: joon.session, password: ConsoleUser.password, at: ConsoleUser.address)
      // Each removes the other at once.
      async let one = remove(joon.session.account, by: hana)
      async let other = remove(hana.session.account, by: joon)
      let results = try await [one, other]
      #expect(results.count { $0 == nil } == 1 && results.count { $0 == .signedOut } == 1, "\(results)")
      #expect(try await madang.administrators().count == 1)
      let (kept, gone) = results[0] == nil ? (hana, joon) : (joon, hana)
      #expect(try await kept.isSignedIn())
      #expect(try await !gone.isSignedIn())
      #expect(try await AuditTests.entries(world, .administratorRemoved).map(\.subject) == [gone.name])
      if gone.name == "joon" { #expect(try await madang.administratorLinks().isEmpty) }

      #expect(try await madang.removeAdministrator(named: kept.name.uppercased(), byOperator: .root).name == kept.name)
      #expect(try await madang.administrators().isEmpty)
      await #expect(throws: Failure.self) { try await madang.removeAdministrator(named: "x", byOperator: .root) }
    }
  }

  @Test("a link is withdrawn, and the oldest goes when there are too many", arguments: TestEngine.available)
  func links(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let made = try await madang.makeAdministratorLink(
        by: hana.session, password: ConsoleUser.password, at: ConsoleUser.address)
      #expect(try await madang.administratorLinks().map(\.by) == [hana.name])
      try await madang.withdrawAdministratorLink(made.link.number, by: hana.session, at: ConsoleUser.address)
      #expect(try await refusal { _ = try await madang.openAdministratorLink(token: made.token, from: "a") } == .link)
      #expect(
        try await refusal {
          try await madang.withdrawAdministratorLink(made.link.number, by: hana.session, at: ConsoleUser.address)
        } == .notFound)
      let first = try await madang.makeAdministratorLink(byOperator: .root).token
      for _ in 1...20 { _ = try await madang.makeAdministratorLink(byOperator: .root) }
      #expect(try await madang.administratorLinks().count == 20)
      #expect(try await refusal { _ = try await madang.openAdministratorLink(token: first, from: "a") } == .link)
    }
  }

  @Test(
    "with a key outside the database the second step is sealed, from the next sign-in on",
    arguments: TestEngine.available)
  func sealed(_ engine: TestEngine) async throws {
    try await run(engine) { madang, world in
      let hana = try await ConsoleUser(madang)
      @Sendable func stored() async throws -> String {
        try await madang.database.read {
          try $0.one("SELECT second_step FROM administrators") { try $0.get("second_step") }
        }
      }
      #expect(try await stored().hasPrefix("plain "))
      let sealing = madang.with { $0.stepKey = [UInt8](repeating: 7, count: 32) }
      func signIn(_ madang: Madang, _ code: String) async throws {
        _ = try await madang.signIn(
          administrator: hana.name, password: ConsoleUser.password, code: code, from: ConsoleUser.address)
      }
      try await signIn(sealing, hana.app.code(madang.clock))
      #expect(try await stored().hasPrefix("sealed "))
      madang.clock.advance(milliseconds: 30_000)
      try await signIn(sealing, hana.app.code(madang.clock))
      // With another key the app's codes do not count; recovery codes do.
      madang.clock.advance(milliseconds: 30_000)
      let other = madang.with { $0.stepKey = [UInt8](repeating: 8, count: 32) }
      #expect(try await refusal { try await signIn(other, hana.app.code(madang.clock)) } == .credentials)
      #expect(
        try await AuditTests.entries(world, .administratorRefused).last?.detail["why"]?.contains("tokens.key") == true)
      try await signIn(other, hana.recoveryCodes[0])
    }
  }

  @Test("a password at an old cost is renewed by a sign-in", arguments: TestEngine.available)
  func renewal(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      let hana = try await ConsoleUser(madang)
      let dearer = madang.with { $0.passwords.cost = PasswordCost(memory: 16, passes: 1) }
      for _ in 1...2 {
        _ = try await dearer.signIn(
          administrator: hana.name, password: ConsoleUser.password, code: hana.app.code(madang.clock),
          from: ConsoleUser.address)
        madang.clock.advance(milliseconds: 30_000)
      }
      let stored: String = try await madang.database.read {
        try $0.one("SELECT password_hash FROM administrators") { try $0.get("password_hash") }
      }
      #expect(PasswordHash(stored: stored)?.method == .argon2id(PasswordCost(memory: 16, passes: 1)))
    }
  }

  @Test("in read-only mode administrators sign in and work on their accounts", arguments: TestEngine.available)
  func readOnly(_ engine: TestEngine) async throws {
    try await run(engine) { madang, _ in
      _ = try await madang.beginReadOnlyMode(reason: "a new disk", by: .root)
      let hana = try await ConsoleUser(madang)
      _ = try await hana.signIn()
      try await madang.changePassword(
        of: hana.session, from: ConsoleUser.password, to: "Landscape2!", at: ConsoleUser.address)
      #expect(try await hana.isSignedIn(isActivity: true))
    }
  }
}
