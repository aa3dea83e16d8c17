import Foundation
import Logging
import MadangCore
import MadangProviders
import MadangServer
import NIOCore
import NIOHTTP1
import NIOPosix
import Storage
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

/// What needs a database of its own; all the rest is tried by Tests/Foreign/doctor_check.py.
@Suite("The doctor", .timeLimit(.minutes(5)))
struct DoctorTests {
  /// What the doctor finds something wrong with, from inside.
  static func checks(_ settings: ServerSettings) async -> Set<DoctorCheck> {
    Set(await DoctorTests().findings(settings).map(\.check))
  }

  private func findings(_ settings: ServerSettings) async -> [DoctorFinding] {
    var options = Doctor.Options()
    // Findings about the disk and the hashing of tests do not matter.
    options.minFreePercent = 0
    // Nor does it that tests make no backups.
    options.backupDays = 0
    var logger = Logger(label: "test")
    logger.logLevel = .critical
    return await Doctor(options, certificateEnd: { try $0.certificateEnd() }, logger: logger).examine(
      settings, url: nil)
  }

  @Test(
    "the doctor finds nothing beside a running server, except the test PostgreSQL's settings",
    arguments: TestEngine.available)
  func good(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      _ = try await world.signUp("Mina")
      let found = await findings(world.server.settings)
      #expect(Set(found.map(\.check)).subtracting([.databaseDurability]).isEmpty, "\(found)")
      if engine == .sqlite { #expect(found.isEmpty, "\(found)") }
    }
  }

  @Test("the doctor finds a PostgreSQL with asynchronous commits or too few connections")
  func postgres() async throws {
    for engine in TestEngine.available where engine != .sqlite {
      try await World.run(engine) { (world) async throws in
        _ = try await world.server.madang.database.write { transaction in
          let names: [String] = try transaction.all("SELECT current_database() AS name") { try $0.get("name") }
          try transaction.execute("ALTER DATABASE \(raw: "\"\(names[0])\"") SET synchronous_commit = off")
        }
        var settings = world.server.settings
        let found = await findings(settings)
        #expect(found.contains { $0.check == .databaseDurability && $0.message.contains("synchronous_commit") })
        #expect(!found.contains { $0.check == .databaseConnections })
        settings.database.writers = 60
        settings.database.readers = 1_000
        #expect(await findings(settings).contains { $0.check == .databaseConnections && $0.severity == .error })
      }
    }
  }

  @Test("only a caller with the installation's secret learns how its request arrived", arguments: TestEngine.available)
  func probe(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let plain = try await world.call(.GET, "/livez", key: nil)
      #expect(String(decoding: plain.body, as: UTF8.self) == #"{"status":"ok"}"#)
      let wrong = try await world.call(.GET, "/livez", key: nil, headers: [("X-Madang-Doctor", "wrong")])
      #expect(wrong.body == plain.body)
      let key = try #require(try await world.server.madang.knownTokenKey(given: ""))
      let probe = DoctorProbe(secret: Array(key.utf8))
      let now = world.server.madang.clock.now
      let proof = probe.proof(at: now)
      let forwarded = [("X-Madang-Doctor", proof), ("X-Forwarded-For", "203.0.113.9")]
      let sight = try await world.call(.GET, "/livez", key: nil, headers: forwarded).json
      #expect(sight["peer"]?.string == "127.0.0.1")
      #expect(sight["address"]?.string == "127.0.0.1")
      #expect(!key.contains(proof))
      for time in [now - DoctorProbe.lifetime - 60_000, now + DoctorProbe.lifetime + 60_000] {
        let old = try await world.call(.GET, "/livez", key: nil, headers: [("X-Madang-Doctor", probe.proof(at: time))])
        #expect(old.body == plain.body)
      }
    }
  }

  @Test("the file of a revoked API key is removed; if it stays, the doctor finds it", arguments: TestEngine.available)
  func revokedKey(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let (madang, settings) = (world.server.madang, world.server.settings)
      let file = settings.secretsDirectory.appending(path: "api-key-2024-10")
      let key = String(repeating: "k", count: 32)
      func write() throws {
        #expect(
          FileManager.default.createFile(
            atPath: file.path, contents: Data((key + "\n").utf8), attributes: [.posixPermissions: 0o600]))
      }
      try write()
      try await madang.register(key: key, edition: "2024-10", label: "api-key-2024-10")
      let other = try await madang.createKey(edition: "2024-10", label: "another", by: .hana).record.id
      let first = try #require(try await madang.keys().first { $0.label == "api-key-2024-10" }?.id)
      var logger = Logger(label: "test")
      logger.logLevel = .critical
      try await Administration.run(settings, logger: logger) { administration in
        _ = try await administration.revokeKey(other)
        #expect(FileManager.default.fileExists(atPath: file.path))
        _ = try await administration.revokeKey(first)
        #expect(!FileManager.default.fileExists(atPath: file.path))
      }
      #expect(await !findings(settings).contains { $0.check == .revokedKeys })
      // As another server of the database, or a restore, may have it.
      try write()
      let found = await findings(settings).filter { $0.check == .revokedKeys }
      #expect(found.count == 1 && found[0].severity == .warning && found[0].message.contains(file.path))
    }
  }

  @Test("malformed proofs are refused")
  func proofs() {
    let probe = DoctorProbe(secret: Array("secret".utf8))
    #expect(probe.accepts(probe.proof(at: 1_000), at: 1_500))
    let key = probe.proof(at: 1_000).dropFirst(4)
    for shown in [
      "", ".", "1000", "1000.", "1001\(key)", "+1000\(key)", "\(Int64.min)\(key)", "\(Int64.max)\(key)", "9e9\(key)",
    ] {
      #expect(!probe.accepts(shown, at: 1_000), "\(shown)")
    }
  }

  @Test("the doctor finds a silent PostgreSQL without waiting for it")
  func silent() async throws {
    let silent = try await ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup).bind(
      host: "127.0.0.1", port: 0
    )
    .get()
    var settings = ServerSettings()
    settings.database.url = "postgres://127.0.0.1:\(try #require(silent.localAddress?.port))/madang"
    var options = Doctor.Options()
    options.patience = .milliseconds(200)
    let found = await Doctor(options, certificateEnd: { try $0.certificateEnd() }, logger: Logger(label: "test"))
      .databaseFindings(settings).findings
    #expect(found.map(\.check) == [.database] && found[0].message.contains("does not answer"), "\(found)")
    try await silent.close()
  }

  @Test("a file of authorities or a certificate that does not exist is named with its setting, the cause and a cure")
  func missingFiles() async throws {
    let missing = "cannot be read: No such file or directory"
    var settings = World.settings
    settings.providers.authorityFile = "/nowhere/ca.pem"
    let providers = await findings(settings).first { $0.check == .providers }
    #expect(providers?.message == "providers.ca: /nowhere/ca.pem \(missing)")
    #expect(providers?.cure.contains("leave providers.ca out") == true)
    settings.providers.authorityFile = ""
    settings.mail.authorities = "/nowhere/ca.pem"
    settings.mail.server = "smtp://mail.example.com"
    #expect(settings.problems().contains { $0.hasPrefix("mail.tls.authorities: /nowhere/ca.pem \(missing); ") })
    settings.mail = MailSettings()
    settings.tls.acme.names = ["chat.example.com"]
    settings.tls.acme.authorities = "/nowhere/ca.pem"
    #expect(settings.problems().contains { $0.hasPrefix("tls.acme.ca.file: /nowhere/ca.pem \(missing); ") })

    var options = Doctor.Options()
    options.trustedRoots = "/nowhere/ca.pem"
    let outside = await Doctor(options, certificateEnd: { try $0.certificateEnd() }, logger: Logger(label: "test"))
      .examine(url: "https://chat.example.com")
    #expect(outside.map(\.message) == ["--ca-file: /nowhere/ca.pem \(missing)"])

    settings.tls = TLSSettings()
    (settings.tls.certificateFile, settings.tls.keyFile) = ("/nowhere/chain.pem", "/nowhere/key.pem")
    let certificate = await findings(settings).first { $0.check == .certificate }
    #expect(certificate?.message == "/nowhere/chain.pem \(missing)" && certificate?.cure.contains("tls.cert") == true)
    let broken = settings
    let error = await #expect(throws: SetupError.self) { try await World.run(broken) { _ in } }
    #expect(error?.description.hasPrefix("tls.cert: /nowhere/chain.pem \(missing); name ") == true)
  }

  @Test("an error text becomes a message and its cure")
  func words() {
    let two = DoctorFinding(.database, SetupError("it is not there;\nits server\tsays no\ncheck it"))
    #expect(two.message == "it is not there; its server\tsays no" && two.cure == "check it")
    let one = DoctorFinding(.database, SetupError("it is newer; start the newer one; or not"))
    #expect(one.message == "it is newer" && one.cure == "start the newer one; or not")
    #expect(!DoctorFinding(.database, SetupError("it is")).cure.isEmpty)
  }
}
