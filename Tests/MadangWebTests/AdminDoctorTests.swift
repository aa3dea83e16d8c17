import Foundation
import MadangAPI
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("The doctor and the backups of a running server", .timeLimit(.minutes(5)))
struct AdminDoctorTests {
  /// Of a server with the console, as it is hosted.
  private static var settings: ServerSettings { World.settings(\.web.admin.isOn, true) }

  /// The same without development mode, so that it watches for proxies and sends no mails.
  private static var hosted: ServerSettings {
    var settings = settings
    settings.isDevelopment = false
    settings.keys = [DevelopmentKey.october2024: .october2024]
    settings.loopbackIsClient = true
    return settings
  }

  private static func folder() -> URL {
    FileManager.default.temporaryDirectory.appending(path: "madang-backups-\(UUID().uuidString)")
  }

  private static func checks(_ report: JSON) -> Set<String> {
    Set(report["findings"]?.list?.compactMap { $0["check"]?.string } ?? [])
  }

  private static func examine(_ hana: AdminBrowser) async throws -> Set<String> {
    checks(try await hana.call(.POST, "doctor", [:]).json)
  }

  @Test(
    "the console's doctor finds what 'madang doctor --inside' finds: a readable settings file, names without effect",
    arguments: TestEngine.available)
  func inside(_ engine: TestEngine) async throws {
    let file = Self.folder()
    defer { try? FileManager.default.removeItem(at: file) }
    #expect(
      FileManager.default.createFile(
        atPath: file.path, contents: Data("{}".utf8), attributes: [.posixPermissions: 0o644]))
    var settings = Self.settings
    settings.sources = SettingsSources(files: [file.path], ignoredNames: ["x"], ignoredVariables: ["MADANG_X"])
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      let found = try await Self.examine(hana)
      #expect(found.isSuperset(of: ["settingsPrivacy", "settings", "unknownVariables"]))
      try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
      #expect(try await !Self.examine(hana).contains("settingsPrivacy"))
    }
  }

  @Test("the console's doctor finds a proxy that the server has noticed")
  func proxy() async throws {
    try await Browser.run(.sqlite, settings: Self.hosted) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await !Self.examine(hana).contains("proxyTrust"))
      _ = try await world.call(.GET, "/livez", key: nil, headers: [("X-Forwarded-Proto", "https")])
      #expect(try await Self.examine(hana).contains("proxyTrust"))
    }
  }

  @Test("mails that the mail server does not accept are a finding", arguments: TestEngine.available)
  func mails(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.hosted) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await !Self.examine(hana).contains("mailQueue"))
      let (database, now) = (world.server.madang.database, world.clock.now)
      _ = try await database.write { transaction in
        try transaction.execute(
          """
          INSERT INTO mails (kind, recipient, subject, body, created_at, expires_at, attempts, next_at, error)
          VALUES ('test', 'mina@example.com', 'S', 'B', \(now), \(now + 86_400_000), 1, \(now + 86_400_000), 'refused')
          """)
      }
      func finding() async throws -> JSON? {
        try await hana.call(.POST, "doctor", [:]).json["findings"]?.list?.first { $0["check"] == "mailQueue" }
      }
      let early = try #require(try await finding())
      #expect(early["severity"] == "warning" && early["message"]?.string?.contains("refused") ?? false)
      world.clock.advance(milliseconds: 1_700_000)
      #expect(try await hana.call(.GET, "session").status == 200)
      world.clock.advance(milliseconds: 1_700_000)
      #expect(try await hana.call(.GET, "session").status == 200)
      world.clock.advance(milliseconds: 300_000)
      #expect(try await finding()?["severity"] == "error")
    }
  }

  @Test(
    "without any backup the doctor finds that as soon as there is an account, and no longer after one",
    arguments: TestEngine.available)
  func noBackup(_ engine: TestEngine) async throws {
    let folder = Self.folder()
    defer { try? FileManager.default.removeItem(at: folder) }
    var settings = Self.settings
    settings.web.admin.backups.directory = folder.path
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await !Self.examine(hana).contains("backup"))
      _ = try await world.signUp("Mina")
      #expect(try await Self.examine(hana).contains("backup"))
      #expect(try await hana.outcome(.POST, "backups", [:]) == "200")
      // The server examines again by itself.
      #expect(
        try await World.eventually { try await !Self.checks(hana.call(.GET, "doctor").json).contains("backup") })
    }
  }

  @Test("the doctor runs by itself: a minute after the start, and each hour", arguments: TestEngine.available)
  func byItself(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await hana.call(.GET, "doctor").json["at"] == .null)
      func runs(after milliseconds: Int64) async throws -> String? {
        world.clock.advance(milliseconds: milliseconds)
        var at: String?
        _ = try await World.eventually {
          let shown = try await hana.call(.GET, "doctor").json["at"]?.string
          at = shown
          return shown == WireDate.string(world.clock.now)
        }
        return at
      }
      #expect(try await runs(after: 60_000) == WireDate.string(world.clock.now))
      for _ in 0..<2 {
        world.clock.advance(milliseconds: 1_200_000)
        #expect(try await hana.call(.GET, "session").status == 200)
      }
      #expect(try await runs(after: 1_200_000) == WireDate.string(world.clock.now))
    }
  }

  @Test("read-only mode is a finding at once, and none once it has ended", arguments: TestEngine.available)
  func readOnly(_ engine: TestEngine) async throws {
    try await Browser.run(engine, settings: Self.settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      _ = try await hana.call(.POST, "read-only", ["isOn": true, "reason": "a new disk"])
      #expect(try await Self.checks(hana.call(.GET, "doctor").json).contains("readOnlyMode"))
      _ = try await hana.call(.POST, "read-only", ["isOn": false])
      #expect(try await !Self.checks(hana.call(.GET, "doctor").json).contains("readOnlyMode"))
    }
  }

  @Test(
    "a directory of backups that is gone, or another one, gets no backup and is a finding",
    arguments: TestEngine.available)
  func lostDirectory(_ engine: TestEngine) async throws {
    let (folder, aside) = (Self.folder(), Self.folder())
    defer { for url in [folder, aside] { try? FileManager.default.removeItem(at: url) } }
    var settings = Self.settings
    settings.web.admin.backups.directory = folder.path
    try await Browser.run(engine, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      func backUp() async throws -> JSON {
        #expect(try await hana.outcome(.POST, "backups", [:]) == "200")
        #expect(try await World.eventually { try await hana.call(.GET, "backups").json["running"] == .null })
        return try await hana.call(.GET, "backups").json
      }
      #expect(try await backUp()["failed"] == .null)
      try FileManager.default.moveItem(at: folder, to: aside)
      #expect(try await Self.examine(hana).contains("backupDirectory"))
      #expect(try await backUp()["failed"]?["message"]?.string?.contains("is gone") ?? false)
      #expect(!FileManager.default.fileExists(atPath: folder.path))
      // As a mount point without its disk.
      try FileManager.default.createDirectory(
        at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      #expect(try await Self.examine(hana).contains("backupDirectory"))
      #expect(try await backUp()["failed"]?["message"]?.string?.contains("is not the directory") ?? false)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
      try FileManager.default.removeItem(at: folder)
      try FileManager.default.moveItem(at: aside, to: folder)
      #expect(try await backUp()["failed"] == .null)
      #expect(try await !Self.examine(hana).contains("backupDirectory"))
    }
  }

  @Test("the parent of the directory of backups is not made")
  func noParent() async throws {
    let folder = Self.folder()
    var settings = Self.settings
    settings.web.admin.backups.directory = folder.appending(path: "backups").path
    try await Browser.run(.sqlite, settings: settings) { (world) async throws in
      let hana = try await AdminBrowser.administrator(world)
      #expect(try await hana.outcome(.POST, "backups", [:]) == "200")
      #expect(
        try await World.eventually {
          try await hana.call(.GET, "backups").json["failed"]?["message"]?.string?.contains("does not exist") ?? false
        })
      #expect(!FileManager.default.fileExists(atPath: folder.path))
    }
  }
}
