import ACMESupport
import Foundation
import Logging
import MadangAPI
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Certificates that the server orders", .timeLimit(.minutes(5)))
struct CertificateTests {
  private static let (minute, day): (Int64, Int64) = (60_000, 86_400_000)
  private typealias Scene = CertificateScene

  @Test(
    "a server begins with a certificate that no client trusts, orders one, serves it, and keeps it over a restart",
    arguments: TestEngine.available, [ACMESettings.ChallengeChoice.http01, .tlsALPN01])
  func first(_ engine: TestEngine, _ challenge: ACMESettings.ChallengeChoice) async throws {
    try await Scene.run { (scene) async throws in
      try await withEngine(engine) { (place) async throws in
        var settings = scene.settings(challenge)
        settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
        if case .postgres(let url) = place { settings.database.url = url }
        let clock = World.stoppedClock
        try await World.run(settings, clock: clock) { [settings] (world) async throws in
          #expect(try await Scene.summary(world).state == .none)
          scene.lead(to: world)
          let summary = try await Scene.until(world, "a certificate") { $0.state == .valid }
          #expect(summary.names == [Scene.name] && summary.issuer == "Stand-in" && summary.tries == 0)
          #expect(summary.error == nil && summary.authority == scene.authority.directory)
          #expect(try await World.eventually { try await Scene.certificate(world) == served(world) })
          let metrics = try await world.at(port: try #require(try await world.server.operationsPort)).call(
            .GET, "/metrics", key: nil)
          #expect(String(decoding: metrics.body, as: UTF8.self).contains("madang_certificate_end_timestamp_seconds 1"))
          let findings = await Doctor(
            Doctor.Options(), certificateEnd: { try $0.certificateEnd() }, logger: Logger(label: "test")
          )
          .examine(settings, in: world.server.madang)
          #expect(!findings.contains { $0.check == .certificate })
        }
        let files = settings.dataDirectory.appending(path: "secrets/acme")
        for file in ["account.key", "\(Scene.name).key", "\(Scene.name).pem"] {
          #expect(FileMode(files.appending(path: file))?.bits ?? 0 & 0o777 == 0o600, "\(file)")
        }
        let audit = try await auditKinds(settings)
        #expect(audit.contains("certificateIssued"))
        try await World.run(settings, clock: clock) { (world) async throws in
          #expect(try await Scene.certificate(world) == served(world))
          #expect(try await Scene.summary(world).state == .valid)
        }
        #expect(scene.authority.orders == 1 && scene.authority.accounts == 1)
      }
    }
  }

  /// The certificate in the database.
  private func served(_ world: World) async throws -> [UInt8] {
    let state = try await world.server.madang.certificate(world.server.settings.tls.acme.id)
    let base64 = (state?.chain ?? "").split(separator: "\n").filter { !$0.hasPrefix("-----") }.joined()
    return Array(Data(base64Encoded: base64) ?? Data())
  }

  private func auditKinds(_ settings: ServerSettings) async throws -> [String] {
    try await Administration.run(settings, logger: Logger(label: "test")) {
      try await $0.madang.audit(AuditFilter(), limit: 100).map(\.kind)
    }
  }

  @Test("it is renewed after two thirds of its life, and connections stay open", arguments: TestEngine.available)
  func renewal(_ engine: TestEngine) async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(engine, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        let first = try await served(world)
        let start = Int64(Date().timeIntervalSince1970 * 1000)
        let life = 90 * Self.day + 60 * Self.minute
        // Not before two thirds; at the latest a thirtieth later.
        world.clock.advance(milliseconds: life / 3 * 2 - 2 * 60 * Self.minute)
        try await Task.sleep(for: .milliseconds(200))
        #expect(scene.authority.orders == 1)
        scene.authority.setLife(
          from: Date(milliseconds: start + 60 * Self.day), to: Date(milliseconds: start + 150 * Self.day))
        world.clock.advance(milliseconds: life / 30 + 2 * 60 * Self.minute)
        #expect(try await World.eventually { try await served(world) != first })
        #expect(try await World.eventually { try await Scene.certificate(world) == served(world) })
        #expect(scene.authority.orders == 2 && scene.authority.accounts == 1)
      }
    }
  }

  @Test(
    "an authority that is down for a week: tries are spaced, a restart makes none, an alarm begins, and all recovers",
    arguments: TestEngine.available)
  func downForAWeek(_ engine: TestEngine) async throws {
    try await Scene.run { (scene) async throws in
      let settings = scene.settings {
        $0.alarms.recipients = ["admin@example.com"]
        $0.alarmWatch.interval = .milliseconds(20)
      }
      try await World.run(engine, settings: settings) { (world) async throws in
        let operators = world.at(port: try #require(try await world.server.operationsPort))
        @Sendable func mails() async throws -> [String] {
          try await operators.call(.GET, "/_dev/mails?to=admin@example.com", key: nil).json.list?.filter {
            $0["kind"]?.string == "alarm"
          }.compactMap { $0["subject"]?.string } ?? []
        }
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        // A try counts from its beginning; its row in the audit log comes with its end.
        @Sendable func ended(_ tries: Int) async throws {
          var filter = AuditFilter()
          filter.kinds = [.certificateFailed]
          let (madang, failures) = (world.server.madang, filter)
          let hasEnded = try await World.eventually { try await madang.audit(failures, limit: 100).count == tries }
          #expect(hasEnded, "try \(tries)")
        }
        scene.authority.set(.down)
        let begun = world.clock.now
        world.clock.advance(milliseconds: 64 * Self.day)
        let failing = world.clock.now
        var pauses: [Int64] = []
        while world.clock.now - failing < 7 * Self.day {
          let tries = pauses.count + 1
          try await ended(tries)
          let state = try #require(try await world.server.madang.certificate(settings.tls.acme.id))
          #expect(state.error.contains("503"))
          let pause = state.nextAt - world.clock.now
          pauses.append(pause)
          let requests = scene.authority.requests
          world.clock.advance(milliseconds: pause - 1)
          try await Task.sleep(for: .milliseconds(60))
          #expect(scene.authority.requests == requests, "nothing is asked before the pause ends")
          world.clock.advance(milliseconds: 1)
        }
        #expect(pauses.prefix(9).map { $0 / Self.minute } == [5, 10, 20, 40, 80, 160, 320, 640, 1280])
        #expect(pauses.dropFirst(9).allSatisfy { $0 == Self.day } && pauses.count < 17)
        #expect(try await World.eventually { try await mails().first == "The certificate ends" })
        let summary = try await Scene.summary(world)
        #expect(summary.state == .failing && summary.notAfter != nil && summary.failingSince != nil)

        let (now, all) = (Date(milliseconds: world.clock.now), pauses.count)
        scene.authority.setLife(from: now, to: now.addingTimeInterval(90 * 86_400))
        try await ended(all + 1)
        scene.authority.set(.works)
        world.clock.advance(milliseconds: Self.day)
        _ = try await Scene.until(world, "recovery") { $0.state == .valid }
        world.clock.advance(milliseconds: 61 * Self.minute)
        #expect(try await World.eventually { try await mails().last == "Solved: The certificate ends" })
        #expect(scene.authority.orders == 2 && world.clock.now - begun > 70 * Self.day)
      }
    }
  }

  @Test("a server that starts again and again after a failed try makes no new one", arguments: TestEngine.available)
  func restarts(_ engine: TestEngine) async throws {
    try await Scene.run { (scene) async throws in
      try await BackupScene.place(engine) { (base, _) async throws in
        let settings = scene.settings {
          ($0.dataDirectory, $0.database.url) = (base.dataDirectory, base.database.url)
        }
        scene.authority.set(.refuses(kind: "serverInternal", detail: "try later", retryAfter: nil))
        let clock = World.stoppedClock
        for round in 0..<4 {
          try await World.run(settings, clock: clock) { (world) async throws in
            _ = try await Scene.until(world, "the first try") { $0.tries == 1 && $0.error != nil }
            try await Task.sleep(for: .milliseconds(round == 0 ? 0 : 150))
          }
        }
        scene.authority.set(.works)
        #expect(scene.authority.orders == 0)
        clock.advance(milliseconds: 5 * Self.minute)
        try await World.run(settings, clock: clock) { (world) async throws in
          scene.lead(to: world)
          _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        }
        #expect(scene.authority.orders == 1)
      }
    }
  }

  @Test("a certificate that no client would accept is not taken, and one that cannot be served is replaced")
  func unusable() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.authority.setLife(from: Date(timeIntervalSinceNow: -86_400), to: Date(timeIntervalSinceNow: -3600))
        scene.lead(to: world)
        let failing = try await Scene.until(world, "a refusal") { $0.error != nil }
        #expect(failing.error?.contains("it is valid from") == true && failing.notAfter == nil)
        scene.authority.setLife(from: Date(timeIntervalSinceNow: -60), to: Date(timeIntervalSinceNow: 90 * 86_400))
        world.clock.advance(milliseconds: 5 * Self.minute)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        let madang = world.server.madang
        let id = world.server.settings.tls.acme.id
        try await madang.store(id, chain: "no certificate", key: "no key", renewAt: .max, issuer: "test")
        #expect(try await World.eventually { scene.authority.issued == 3 })
        _ = try await Scene.until(world, "another certificate") { $0.state == .valid }
        #expect(try await World.eventually { try await Scene.certificate(world) == served(world) })
      }
    }
  }

  @Test(
    "a new certificate that ends before the present one, or is not valid yet, is refused, and the present one stays")
  func worse() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        let first = try await served(world)
        let renewAt = try await Scene.summary(world).renewAt
        let day = Double(Self.day / 1000)
        for (life, words) in [
          ((-day, 30 * day), "so it ends before the present one"), ((1800, 120 * day), "check the clock"),
        ] {
          scene.authority.setLife(from: Date(timeIntervalSinceNow: life.0), to: Date(timeIntervalSinceNow: life.1))
          world.clock.advance(milliseconds: 5 * Self.minute)
          _ = try await Scene.administration(world).renewCertificate()
          let refused = try await Scene.until(world, words) { "\($0.error ?? ""); \($0.cure ?? "")".contains(words) }
          #expect(refused.notAfter != nil && refused.cure?.isEmpty == false)
          // The present one is not renewed sooner because a worse one was offered.
          #expect((refused.failingSince == nil) == (life.0 < 0) && (refused.renewAt == renewAt) == (life.0 < 0))
          #expect(try await served(world) == first)
          #expect(try await Scene.certificate(world) == first)
        }
        // Authorities count certificates that were not taken, too.
        let issues = try await world.server.madang.database.read { [now = world.clock.now] in
          try $0.certificateIssues(scene.settings().tls.acme.id, since: 0, now: now, limit: 10)
        }
        #expect(issues.count == 3 && scene.authority.issued == 3)
        // A revoked one is replaced by any.
        scene.authority.setLife(from: Date(timeIntervalSinceNow: -day), to: Date(timeIntervalSinceNow: 30 * day))
        world.clock.advance(milliseconds: 5 * Self.minute)
        _ = try await Scene.administration(world).renewCertificate(revokes: true)
        #expect(try await World.eventually { try await served(world) != first })
      }
    }
  }

  @Test("a certificate is dropped only while it is the stored one; chain and key are read together")
  func dropped() async throws {
    try await Scene.run { (scene) async throws in
      let settings = scene.settings { $0.tls.acme.interval = .seconds(600) }
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let (madang, id) = (world.server.madang, CertificateID(directory: "https://a", names: [Scene.name]))
        #expect(try await madang.storedCertificate(id) == nil)
        _ = try await madang.claimCertificate(id)
        for number in 1...2 {
          try await madang.store(id, chain: "chain \(number)", key: "key \(number)", renewAt: .max, issuer: "test")
        }
        try await madang.dropCertificate(id, revision: 1)
        let stored = try #require(try await madang.storedCertificate(id))
        #expect((stored.revision, stored.chain, stored.key) == (2, "chain 2", "key 2"))
        try await madang.dropCertificate(id, revision: 2)
        #expect(try await madang.storedCertificate(id) == nil)
      }
    }
  }

  @Test("copies written by several servers at once are whole, for the server's user only, and leave no other files")
  func copies() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = ServerSettings()
    settings.dataDirectory = folder
    settings.tls.acme.names = [Scene.name]
    let copy = CertificateCopy(settings)
    let log = LogRecorder()
    let long = String(repeating: "x", count: 100_000)
    await withTaskGroup { group in
      for number in 0..<16 {
        group.addTask { for _ in 0..<10 { copy.write(chain: "\(number)" + long, key: "key \(number)", log.logger) } }
      }
    }
    let files = settings.secretsDirectory.appending(path: "acme")
    let names = try FileManager.default.contentsOfDirectory(atPath: files.path).sorted()
    #expect(names == ["\(Scene.name).key", "\(Scene.name).pem"])
    #expect(log.lines.isEmpty, "\(log.lines.first ?? "")")
    for name in names { #expect(FileMode(files.appending(path: name))?.bits == 0o600) }
    let chain = try String(contentsOf: files.appending(path: "\(Scene.name).pem"), encoding: .utf8)
    #expect(chain.hasSuffix(long) && chain.count <= long.count + 2)
  }

  @Test(
    "a revoked certificate is replaced even if the first order after it fails, and although the authority asked to wait"
  )
  func revokedAndRefused() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        scene.authority.set(.refuses(kind: "rateLimited", detail: "later \0", retryAfter: "99999999"))
        _ = try await Scene.administration(world).renewCertificate()
        let held = try await Scene.until(world, "a refusal") { $0.error != nil }
        #expect(held.nextTry == WireDate.string(world.clock.now + Self.day), "a day is believed")
        world.clock.advance(milliseconds: Self.minute)
        _ = try await Scene.administration(world).renewCertificate(revokes: true)
        #expect(try await World.eventually { scene.authority.revocations == 1 })
        // A try counts from its beginning; its refusal plans the next one.
        let next = WireDate.string(world.clock.now + Self.day)
        _ = try await Scene.until(world, "the second refusal") { $0.tries == 2 && $0.nextTry == next }
        scene.authority.set(.works)
        world.clock.advance(milliseconds: Self.day + Self.minute)
        #expect(try await World.eventually { scene.authority.issued == 2 })
      }
    }
  }

  @Test("a revocation whose call is lost is tried again, and another certificate comes only after it")
  func revocationLost() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        scene.authority.set(.down)
        _ = try await Scene.administration(world).renewCertificate(revokes: true)
        _ = try await Scene.until(world, "a failure") { $0.error != nil }
        scene.authority.set(.works)
        world.clock.advance(milliseconds: 6 * Self.minute)
        #expect(try await World.eventually { scene.authority.issued == 2 })
        #expect(scene.authority.revocations == 1)
        world.clock.advance(milliseconds: Self.day)
        let after = try await Scene.until(world, "the new certificate") { $0.state == .valid }
        #expect(after.error == nil && scene.authority.issued == 2, "the wish is fulfilled once")
      }
    }
  }

  @Test("a certificate that has ended is not called valid")
  func ended() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        scene.authority.set(.down)
        world.clock.advance(milliseconds: 100 * Self.day)
        #expect(try await Scene.summary(world).state == .failing)
      }
    }
  }

  @Test("a server whose port is taken orders nothing")
  func takenPort() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite) { (other) async throws in
        let settings = scene.settings {
          $0.dataDirectory = other.data.appending(path: "second")
          $0.port = Int(other.url.split(separator: ":").last ?? "") ?? 0
        }
        await #expect(throws: SetupError.self) { try await World.run(settings) { _ in } }
        #expect(scene.authority.requests == 0)
      }
    }
  }

  @Test(
    "an authority that asks to wait is not asked before, not even for an administrator", arguments: TestEngine.available
  )
  func retryAfter(_ engine: TestEngine) async throws {
    try await Scene.run { (scene) async throws in
      scene.authority.set(.refuses(kind: "rateLimited", detail: "too many", retryAfter: "7200"))
      try await World.run(engine, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        let summary = try await Scene.until(world, "the refusal") { $0.error != nil }
        #expect(
          summary.state == .failing && summary.error?.contains("too many") == true
            && summary.cure?.hasPrefix("wait") == true)
        #expect(summary.nextTry == WireDate.string(world.clock.now + 120 * Self.minute))
        let finding = await Doctor(
          Doctor.Options(), certificateEnd: { try $0.certificateEnd() }, logger: Logger(label: "test")
        )
        .examine(world.server.settings, in: world.server.madang).first { $0.check == .certificate }
        #expect(finding?.severity == .error && finding?.cure.contains("admin certificate renew") == true)
        let outside = await Doctor(
          Doctor.Options(), certificateEnd: { try $0.certificateEnd() }, logger: Logger(label: "test")
        )
        .examine(url: world.url.replacing("http://", with: "https://")).filter { $0.check == .tlsTrust }
        #expect(outside.count == 1 && outside.first?.message.contains("no certificate of an authority yet") == true)
        #expect(outside.first?.cure.contains("madang admin certificate") == true)
        await #expect(throws: AdministrationError.self) { try await Scene.administration(world).renewCertificate() }
        scene.authority.set(.works)
        let requests = scene.authority.requests
        world.clock.advance(milliseconds: 119 * Self.minute)
        try await Task.sleep(for: .milliseconds(100))
        #expect(scene.authority.requests == requests)
        world.clock.advance(milliseconds: Self.minute)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
      }
    }
  }

  @Test(
    "an administrator gets a new certificate at once, three in a day, five in a week, and more only by a revocation",
    arguments: TestEngine.available)
  func asked(_ engine: TestEngine) async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(engine, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        let administration = Scene.administration(world)
        for count in 2...5 {
          world.clock.advance(milliseconds: Self.minute)
          if count == 5 {
            let error = await #expect(throws: AdministrationError.self) { try await administration.renewCertificate() }
            let next = WireDate.string(world.clock.now - 3 * Self.minute + Self.day)
            #expect(error?.description.contains("ask again from \(next)") == true)
            world.clock.advance(milliseconds: Self.day - 3 * Self.minute)
          }
          _ = try await administration.renewCertificate()
          #expect(try await World.eventually { scene.authority.issued == count })
          _ = try await Scene.until(world, "it is stored") { $0.tries == 0 }
        }
        world.clock.advance(milliseconds: Self.minute)
        do {
          _ = try await administration.renewCertificate()
          Issue.record("a sixth certificate was promised")
        } catch let error as AdministrationError {
          #expect(error.description.contains("--revoke"))
        }
        _ = try await administration.renewCertificate(revokes: true)
        #expect(try await World.eventually { scene.authority.issued == 6 && scene.authority.revocations == 1 })
      }
    }
  }

  @Test("a name that cannot be verified is an error with its cure, and the next try is made by hand")
  func unproven() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        try await World.run(.sqlite) { (other) async throws in
          // The name leads to a server without the proof, at a port without TLS.
          scene.lead(to: other)
          let summary = try await Scene.until(world, "the failure") { $0.error != nil }
          #expect(summary.error?.contains("could not verify \(Scene.name) by tls-alpn-01") == true)
          #expect(try await Scene.names(world) == [Scene.name])
          scene.lead(to: world)
          world.clock.advance(milliseconds: Self.minute)
          _ = try await Scene.administration(world).renewCertificate()
          _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        }
      }
    }
  }

  @Test(
    "two servers of a database make one order, and both answer the authority and serve the certificate",
    arguments: TestEngine.available.filter { $0 == .postgres }, [ACMESettings.ChallengeChoice.http01, .tlsALPN01])
  func two(_ engine: TestEngine, _ challenge: ACMESettings.ChallengeChoice) async throws {
    try await Scene.run { (scene) async throws in
      try await World.pair(engine, settings: scene.settings(challenge)) { (first, second) async throws in
        // The first one has probably begun: the authority calls the other.
        scene.lead(to: second)
        for world in [first, second] {
          _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
          #expect(try await World.eventually { try await Scene.certificate(world) == served(world) })
        }
        #expect(scene.authority.orders == 1 && scene.authority.accounts == 1)
      }
    }
  }

  @Test("with tokens.key in the settings the database has no private key that opens without it")
  func sealed() async throws {
    try await Scene.run { (scene) async throws in
      let settings = scene.settings { $0.tokenKey = String(repeating: "k", count: 32) }
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        let madang = world.server.madang
        let stored = try await madang.database.read { try $0.storedCertificate(settings.tls.acme.id)?.key }
        #expect(stored?.hasPrefix("sealed ") == true)
        #expect(try await madang.storedCertificate(settings.tls.acme.id)?.key?.contains("PRIVATE KEY") == true)
        let account = try await madang.database.read { try $0.certificateAccount(settings.tls.acme.directory)?.key }
        #expect(account?.hasPrefix("sealed ") == true)
      }
    }
  }

  @Test("settings that cannot work are refused with a cure")
  func problems() {
    func problems(_ change: (inout TLSSettings) -> Void) -> [String] {
      var settings = ServerSettings()
      settings.port = 8443
      settings.tls.acme.names = [Scene.name]
      change(&settings.tls)
      return settings.problems()
    }
    #expect(problems { $0.redirectPort = 8080 }.isEmpty)
    #expect(problems { $0.acme.challenge = .tlsALPN01 }.isEmpty)
    #expect(problems { _ in }.first?.contains("tls.redirect.port to 80") == true)
    #expect(problems { $0.acme.challenge = .http01 }.first?.contains("needs tls.redirect.port") == true)
    #expect(problems { $0.certificateFile = "/a.pem" }.first?.contains("exclude each other") == true)
    for directory in ["", "ftp://a", "http://authority.example.com/dir", "https://127.0.0.1:99999/dir"] {
      #expect(problems { ($0.redirectPort, $0.acme.directory) = (80, directory) }.count == 1, "\(directory)")
    }
    #expect(problems { ($0.redirectPort, $0.acme.email) = (80, "x") }.count == 1)
    #expect(problems { ($0.redirectPort, $0.acme.externalAccountID) = (80, "x") }.count == 1)
    #expect(problems { ($0.redirectPort, $0.acme.authorities) = (80, "/nowhere.pem") }.count == 1)
  }

  @Test("names are read in lower case; addresses, wildcards and blanks are refused")
  func names() {
    func read(_ text: String) -> [String]? {
      let (settings, _, mistakes) = SettingsReader.read(
        ServerSettings.init, from: ["tls.acme": WrittenSetting(text, from: "a test")])
      return mistakes.isEmpty ? settings.tls.acme.names : nil
    }
    #expect(read("Chat.Example.com, www.example.com,chat.example.com") == ["chat.example.com", "www.example.com"])
    for text in ["*.example.com", "192.0.2.1", "a b", "-a.example.com", "채팅.한국", "a..b", "[::1]"] {
      #expect(read(text) == nil, "\(text)")
    }
  }
}
