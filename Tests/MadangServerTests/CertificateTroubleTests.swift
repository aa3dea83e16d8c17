import ACME
import ACMESupport
import Foundation
import Logging
import MadangAPI
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Certificates and a bad network, clock or disk", .timeLimit(.minutes(5)))
struct CertificateTroubleTests {
  private static let (minute, hour, day): (Int64, Int64, Int64) = (60_000, 3_600_000, 86_400_000)
  private typealias Scene = CertificateScene

  @Test(
    "a certificate whose answer is lost is fetched at the next try, also after a restart, and counts once",
    arguments: TestEngine.available, ["/finalize", "/certificate"])
  func lostAnswer(_ engine: TestEngine, _ place: String) async throws {
    try await Scene.run { (scene) async throws in
      try await BackupScene.place(engine) { (base, _) async throws in
        let settings = scene.settings {
          ($0.dataDirectory, $0.database.url) = (base.dataDirectory, base.database.url)
        }
        scene.authority.set(.losesAnswers(to: place))
        let clock = World.stoppedClock
        try await World.run(settings, clock: clock) { (world) async throws in
          scene.lead(to: world)
          _ = try await Scene.until(world, "the lost answer") { $0.error != nil }
        }
        scene.authority.set(.works)
        clock.advance(milliseconds: 5 * Self.minute)
        try await World.run(settings, clock: clock) { (world) async throws in
          scene.lead(to: world)
          _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
          #expect(scene.authority.orders == 1 && scene.authority.issued == 1)
          #expect(try await Self.issues(world) == 1)
          // A later certificate has an order of its own.
          clock.advance(milliseconds: Self.minute)
          _ = try await Scene.administration(world).renewCertificate()
          #expect(try await World.eventually { try await Self.issues(world) == 2 })
          #expect(scene.authority.orders == 2)
        }
      }
    }
  }

  /// How many certificates were counted.
  private static func issues(_ world: World) async throws -> Int {
    let (id, now) = (world.server.settings.tls.acme.id, world.clock.now)
    return try await world.server.madang.database.read {
      try $0.certificateIssues(id, since: 0, now: now, limit: 10).count
    }
  }

  @Test("an order that the authority has forgotten meanwhile is followed by another one at the same try")
  func forgottenOrder() async throws {
    try await Scene.run { (scene) async throws in
      scene.authority.set(.losesAnswers(to: "/finalize"))
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "the lost answer") { $0.error != nil }
        scene.authority.forgetOrders()
        scene.authority.set(.works)
        world.clock.advance(milliseconds: 5 * Self.minute)
        _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        #expect(scene.authority.orders == 2)
      }
    }
  }

  @Test("an order whose certificate does not come for a day is left for another one")
  func endlessOrder() async throws {
    try await Scene.run { (scene) async throws in
      scene.authority.set(.losesAnswers(to: "/certificate"))
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        _ = try await Scene.until(world, "the lost answer") { $0.error != nil }
        #expect(scene.authority.orders == 1)
        world.clock.advance(milliseconds: 25 * Self.hour)
        #expect(try await World.eventually { scene.authority.orders == 2 })
      }
    }
  }

  @Test("a try keeps no order once another server has claimed one", arguments: TestEngine.allCases)
  func overtaken(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let (madang, id) = (
        world.server.madang, CertificateID(directory: "https://ca.example.com", names: ["a.example.com"])
      )
      let first = try #require(try await madang.claimCertificate(id))
      try await madang.keepCertificateOrder(id, ("https://ca.example.com/1", "first"), of: first)
      world.clock.advance(milliseconds: 5 * Self.minute)
      let second = try #require(try await madang.claimCertificate(id))
      #expect(second.order?.url == "https://ca.example.com/1" && second.order?.key == "first")
      await #expect(throws: CancellationError.self) { try await madang.keepCertificateOrder(id, nil, of: first) }
      await #expect(throws: CancellationError.self) {
        try await madang.keepCertificateOrder(id, ("https://ca.example.com/2", "other"), of: first)
      }
      try await madang.keepCertificateOrder(id, nil, of: second)
    }
  }

  @Test("with a slow clock, a first certificate is served; a renewal waits until it begins, without a second order")
  func slowClock() async throws {
    try await Scene.run { (scene) async throws in
      scene.authority.setLife(from: Date(timeIntervalSinceNow: 5 * 3600), to: Date(timeIntervalSinceNow: 90 * 86_400))
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        scene.lead(to: world)
        let early = try await Scene.until(world, "the first certificate") { $0.notAfter != nil }
        #expect(early.state == .failing && early.cure?.contains("clock") == true && early.tries == 0)
        #expect(try await World.eventually { try await Self.issuer(world) == "Stand-in" })
        let finding = await Self.finding(world)
        #expect(finding?.message.contains("begins at") == true && finding?.cure.contains("clock") == true)
        world.clock.advance(milliseconds: 6 * Self.hour)
        _ = try await Scene.until(world, "it has begun") { $0.state == .valid }

        let begin = Date(timeIntervalSinceNow: 12 * 3600)
        scene.authority.setLife(from: begin, to: begin.addingTimeInterval(90 * 86_400))
        _ = try await Scene.administration(world).renewCertificate()
        for (tries, pause) in [(1, 5), (2, 10), (3, 20)] {
          _ = try await Scene.until(world, "try \(tries)") { $0.tries == tries && $0.cure?.contains("clock") == true }
          let next = try #require(try await Scene.summary(world).nextTry)
          #expect(next == WireDate.string(world.clock.now + Int64(pause) * Self.minute))
          guard tries < 3 else { break }
          let failures = try await Self.failures(world)
          world.clock.advance(milliseconds: Int64(pause) * Self.minute)
          #expect(try await World.eventually { try await Self.failures(world) > failures })
        }
        world.clock.advance(milliseconds: 6 * Self.hour)
        _ = try await Scene.until(world, "the renewal") { $0.state == .valid && $0.tries == 0 }
        #expect(scene.authority.orders == 2 && scene.authority.issued == 2)
        #expect(try await Self.issues(world) == 2)
      }
    }
  }

  private static func failures(_ world: World) async throws -> Int {
    var filter = AuditFilter()
    filter.kinds = [.certificateFailed]
    return try await world.server.madang.audit(filter, limit: 100).count
  }

  @Test(
    "a next try that a fast clock has planned is made when the clock is right again",
    arguments: [nil, "86400"])
  func fastClock(_ retryAfter: String?) async throws {
    try await Scene.run { (scene) async throws in
      try await BackupScene.place(.sqlite) { (base, _) async throws in
        let settings = scene.settings { $0.dataDirectory = base.dataDirectory }
        let fast = World.stoppedClock
        fast.advance(milliseconds: 10 * Self.day)
        scene.authority.set(.refuses(kind: "rateLimited", detail: "later", retryAfter: retryAfter))
        try await World.run(settings, clock: fast) { (world) async throws in
          _ = try await Scene.until(world, "a failed try") { $0.error != nil }
        }
        scene.authority.set(.works)
        try await World.run(settings, clock: World.stoppedClock) { (world) async throws in
          scene.lead(to: world)
          _ = try await Scene.until(world, "a certificate") { $0.state == .valid }
        }
      }
    }
  }

  @Test("at the limit of certificates the server looks again daily, and orders when the limit ends")
  func limit() async throws {
    try await Scene.run { (scene) async throws in
      let settings = scene.settings { $0.tls.acme.interval = .milliseconds(20) }
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        scene.authority.set(.down)
        _ = try await Scene.until(world, "a failed try") { $0.error != nil }
        let (now, id) = (world.clock.now, settings.tls.acme.id)
        try await world.server.madang.database.write { transaction in
          for number in 0..<5 {
            try transaction.execute(
              """
              INSERT INTO certificate_issues (directory, names, issued_at)
              VALUES (\(id.directory), \(id.text), \(now - Int64(number)))
              """)
          }
        }
        scene.authority.set(.works)
        scene.lead(to: world)
        world.clock.advance(milliseconds: 5 * Self.minute)
        let limited = try await Scene.until(world, "the limit") { $0.error == Madang.limitWords }
        #expect(limited.nextTry == WireDate.string(world.clock.now + Self.day))
        let requests = scene.authority.requests
        world.clock.advance(milliseconds: Self.day)
        _ = try await Scene.until(world, "a look") { $0.nextTry == WireDate.string(world.clock.now + Self.day) }
        #expect(scene.authority.requests == requests)
        world.clock.advance(milliseconds: 6 * Self.day)
        _ = try await Scene.until(world, "a certificate") { $0.notAfter != nil }
      }
    }
  }

  @Test(
    "a certificate that cannot be stored is served, the doctor names it, and a later try stores it without an order")
  func fullDisk() async throws {
    try await Scene.run { (scene) async throws in
      try await World.run(.sqlite, settings: scene.settings()) { (world) async throws in
        let database = world.server.madang.database
        try await database.write { transaction in
          _ = try transaction.execute(
            """
            CREATE TRIGGER full BEFORE UPDATE OF chain ON certificates
            BEGIN SELECT RAISE(FAIL, 'database or disk is full'); END
            """)
        }
        scene.lead(to: world)
        #expect(try await World.eventually { try await Self.issuer(world) == "Stand-in" })
        #expect(await Self.finding(world) == nil)
        world.clock.advance(milliseconds: 10 * Self.minute)
        let finding = await Self.finding(world)
        #expect(finding?.message.contains("is not stored") == true && finding?.cure.contains("make room") == true)
        #expect(try await Scene.summary(world).error?.contains("is not stored") == true)
        try await database.write { _ = try $0.execute("DROP TRIGGER full") }
        world.clock.advance(milliseconds: Self.hour)
        _ = try await Scene.until(world, "it is stored") { $0.state == .valid && $0.tries == 0 }
        #expect(scene.authority.orders == 1)
        #expect(await Self.finding(world) == nil)
      }
    }
  }

  /// Who signed the certificate that clients get.
  private static func issuer(_ world: World) async throws -> String {
    try CertificateChain(pem: Scene.pem(try await Scene.certificate(world))).issuer
  }

  private static func finding(_ world: World) async -> DoctorFinding? {
    await Doctor(Doctor.Options(), certificateEnd: { try $0.certificateEnd() }, logger: Logger(label: "test"))
      .examine(world.server.settings, in: world.server.madang).first { $0.check == .certificate }
  }
}
