import Foundation
import Logging
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore

/// An installation that was filled, and directories for backups of it; gone afterwards.
struct BackupScene: Sendable {
  /// Of the installation. Its server has stopped.
  let settings: ServerSettings
  let folder: URL

  var backups: URL { folder.appending(path: "backups") }

  /// Quiet, as the tests refuse much.
  static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// - Parameter isFull: Whether all tables are to have rows, also those that need more than some calls.
  static func run(
    _ engine: TestEngine, isFull: Bool = false, _ body: @escaping @Sendable (BackupScene) async throws -> Void
  ) async throws {
    try await place(engine) { settings, folder in
      let scene = BackupScene(settings: settings, folder: folder)
      try await scene.serve { world in try await scene.fill(world, isFull: isFull) }
      // As without development mode.
      let secrets = settings.dataDirectory.appending(path: "secrets")
      try FileManager.default.createDirectory(
        at: secrets, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      let key = secrets.appending(path: "api-key-2024-10").path
      try #require(
        FileManager.default.createFile(
          atPath: key, contents: Data("0123456789abcdef\n".utf8), attributes: [.posixPermissions: 0o600]))
      try await body(scene)
    }
  }

  /// Runs `body` with settings for a new installation, of which nothing is there yet.
  static func place(
    _ engine: TestEngine, _ body: @escaping @Sendable (ServerSettings, URL) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      let folder = FileManager.default.temporaryDirectory.appending(path: "madang-backup-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var settings = World.settings
      settings.dataDirectory = folder.appending(path: "data")
      if case .postgres(let url) = place { settings.database.url = url }
      if TestBucket.holdsAllFiles { settings.keepFilesInTestBucket() }
      try await body(settings, folder)
    }
  }

  /// Runs `body` on the data that `fill` leaves in a new installation, without a server: no housekeeping interferes.
  static func withoutServer(
    _ engine: TestEngine, filledBy fill: @escaping @Sendable (World) async throws -> Void = { _ in },
    _ body: @escaping @Sendable (Madang) async throws -> Void
  ) async throws {
    try await place(engine) { settings, _ in
      try await World.run(settings, fill)
      let madang = try await openMadang(
        settings, clock: World.stoppedClock, ids: IDSource(), pools: WorkerPools(settings), logger: logger,
        announce: { _ in }, prepare: { _ in })
      let result: Result<Void, any Error>
      do { result = .success(try await body(madang)) } catch { result = .failure(error) }
      await madang.database.close()
      try result.get()
    }
  }

  /// Another place, empty.
  func elsewhere(
    _ engine: TestEngine, _ body: @escaping @Sendable (ServerSettings) async throws -> Void
  ) async throws {
    try await Self.place(engine) { settings, _ in try await body(settings) }
  }

  func serve(_ settings: ServerSettings? = nil, _ body: @Sendable (World) async throws -> Void) async throws {
    try await World.run(settings ?? self.settings, body)
  }

  /// Texts that a format could stumble over.
  static let texts = ["\\N", "\\", "tab\tline\nreturn\r\u{1}", "\\t\\n", "안녕 👩‍👩‍👧 \u{2028}", "'; --", "\"$1\""]

  private func fill(_ world: World, isFull: Bool) async throws {
    let yard = try await world.courtyard()
    let channel = try await yard.a.channel("ios", in: yard.w)
    let room = try await yard.a.directMessage(with: yard.b, in: yard.w)
    for text in Self.texts { _ = try await yard.a.say(text, in: channel) }
    _ = try await yard.a.success(
      .POST, "\(channel)/chats",
      .multipart([.text("content", "with files"), .file("files", Sample.png), .file("files", Sample.pdf)]))
    _ = try await yard.b.success(.POST, "\(room)/chats", .multipart([.file("files", Sample.gif)]))
    for picture in [Sample.png, Sample.jpeg] {
      _ = try await yard.a.success(.PUT, "users/me/image", .multipart([.file("image", picture)]))
    }
    let madang = world.server.madang
    _ = try await madang.createKey(edition: "2024-10", label: "an app", by: .hana)
    guard isFull else { return }
    try await madang.database.write { transaction in
      try transaction.execute(
        """
        INSERT INTO invitations (email, email_key, uses_left, created_at, expires_at)
        VALUES ('X@y.zz', 'x@y.zz', 1, 2, 3)
        """)
      // Claimed, so that the servers of the scene leave it.
      try transaction.execute(
        """
        INSERT INTO mails (kind, recipient, subject, body, created_at, expires_at, attempts, next_at)
        VALUES ('test', 'x@y.zz', 'S', 'B', 1, 9000000000000, 1, \(sql: madang.claimTime) + 3600000)
        """)
      try transaction.execute("INSERT INTO password_resets VALUES ('hash', 1, 5, 6)")
      try transaction.execute("INSERT INTO address_confirmations VALUES ('hash', 1, 'mina@example.com', 5, 6)")
      try transaction.execute("INSERT INTO deleted_sign_ins VALUES ('hash', 5, 6)")
      try transaction.execute(
        "INSERT INTO former_authors SELECT author_id, room_id FROM chats WHERE author_ordinal = 1 LIMIT 1")
      try transaction.execute("INSERT INTO sign_in_places VALUES (1, 'place', 9000000000000) ON CONFLICT DO NOTHING")
      try transaction.execute("INSERT INTO mail_counts VALUES (1, 'test', 9000000000000, 2)")
      try transaction.execute("INSERT INTO alarms VALUES ('test', 'here', 1, 2)")
      try transaction.execute("INSERT INTO payment_claims VALUES ('imp_1', 1, 5)")
      try transaction.execute("INSERT INTO push_outbox (chat_id, claimed_until, room_id) VALUES (1, 7, 1)")
      try transaction.execute(
        "INSERT INTO payments (uuid, user_id, imp_uid, merchant_uid, item, amount, coins, paid_at) VALUES ('p', 1, 'i', 'm', 'x', 100, 10, 9)"
      )
      try transaction.execute(
        """
        INSERT INTO file_usage (scope, owner_id, bytes) SELECT 'account', uploader_id, CAST(SUM(size) AS BIGINT) FROM files
        WHERE room_id IS NOT NULL GROUP BY uploader_id
        """)
      try transaction.execute(
        "INSERT INTO announcements (content, author_id, created_at, rooms) VALUES ('A', 1, 2, 1)")
      try transaction.execute("INSERT INTO announcement_rooms (announcement_id, room_id) VALUES (1, 1)")
      try transaction.execute(
        """
        INSERT INTO administrators (name, name_key, password_hash, password_at, second_step, last_step, created_at, seen_at, address)
        VALUES ('Hana', 'hana', 'hash', 1, 'plain', 2, 3, 4, '10.0.0.1')
        """)
      try transaction.execute("INSERT INTO administrator_codes VALUES (1, 'hash')")
      try transaction.execute(
        """
        INSERT INTO administrator_sessions (token_hash, administrator_id, created_at, used_at, pending_until)
        VALUES ('hash', 1, 9000000000000, 2, 3)
        """)
      try transaction.execute(
        """
        INSERT INTO administrator_links (token_hash, salt, administrator_id, made_by, expires_at)
        VALUES ('hash', 'salt', 1, 'Hana', 9000000000000)
        """)
      try transaction.execute("INSERT INTO administrator_tries VALUES ('hash', 1, 2)")
      try transaction.execute(
        "INSERT INTO certificates VALUES ('https://a/dir', 'a.zz,b.zz', 'PEM', 'plain', 1, 2, 3, 4, 5, 6, 7, 'why', 'cure', '', 'https://a/o', 'plain', 8)"
      )
      try transaction.execute("INSERT INTO certificate_issues VALUES ('https://a/dir', 'a.zz,b.zz', 2)")
      try transaction.execute("INSERT INTO certificate_wishes VALUES ('https://a/dir', 'a.zz,b.zz', 2)")
      try transaction.execute("INSERT INTO certificate_accounts VALUES ('https://a/dir', 'plain', 'https://a/1')")
      try transaction.execute(
        "INSERT INTO certificate_proofs VALUES ('token', 'a.zz', 'http-01', 'token.print', 9000000000000)")
      try transaction.execute("INSERT INTO changes (kind, user_id, created_at) VALUES ('x', 1, 2)")
      try transaction.execute("UPDATE sessions SET device_token = 'device' WHERE id = 1")
      try transaction.execute(
        "INSERT INTO recent_addresses (address, user_id, seen_at) VALUES ('10.0.0.1', 1, 2) ON CONFLICT DO NOTHING")
      // So that the last number is not that of a row.
      try transaction.execute("DELETE FROM changes WHERE id = (SELECT MAX(id) FROM changes) AND id > 1")
    }
  }

  func backUp(_ settings: ServerSettings? = nil, to backups: URL? = nil, keep: Int? = nil) async throws -> BackupSummary
  {
    try await Administration.run(settings ?? self.settings, logger: Self.logger) {
      try await $0.backUp(to: backups ?? self.backups, keep: keep) { _ in }
    }
  }

  func export(_ settings: ServerSettings, to folder: URL) async throws {
    _ = try await Administration.run(settings, logger: Self.logger) { try await $0.export(to: folder) { _ in } }
  }

  @discardableResult
  func restore(_ backup: URL? = nil, to settings: ServerSettings) async throws -> RestoreSummary {
    try await Administration.restore(
      settings, from: backup ?? backups, skippingDamaged: false, logger: Self.logger, progress: { _ in })
  }

  @discardableResult
  func load(_ export: URL, into settings: ServerSettings) async throws -> RestoreSummary {
    try await Administration.importDatabase(settings, from: export, logger: Self.logger) { _ in }
  }

  /// The words with which something is refused.
  static func refusal(_ body: () async throws -> Void) async -> String {
    do {
      try await body()
      return "not refused"
    } catch let error as AdministrationError {
      return error.description
    } catch let error as SetupError {
      return error.description
    } catch {
      return "\(error)"
    }
  }

  static func findings(_ settings: ServerSettings, hashes: Bool = true) async throws -> [String] {
    let found = Found()
    let count = try await Administration.run(settings, logger: logger) {
      try await $0.check(
        hashes: hashes, progress: { _ in }, report: { await found.add("\($0.kind) \($0.subject): \($0.problem)") })
    }
    #expect(await found.words.count == count)
    return await found.words.sorted()
  }

  func backupFindings(_ backup: URL? = nil) async throws -> [String] {
    let found = Found()
    _ = try await Administration.check(
      backup: backup ?? backups, progress: { _ in },
      report: { await found.add("\(URL(filePath: $0.subject).lastPathComponent) \($0.problem)") })
    return await found.words.sorted()
  }

  private actor Found {
    var words: [String] = []
    func add(_ text: String) { words.append(text) }
  }

  /// All rows of all tables and the last number of each, without audit entries about backups, which every backup adds.
  static func rows(_ settings: ServerSettings) async throws -> [String: Set<[SQLValue]>] {
    let engine =
      settings.database.url.map { DatabaseConfiguration.Engine.postgres(url: $0) }
      ?? .sqlite(path: settings.dataDirectory.appending(path: "madang.sqlite").path)
    let schema = try await Schema(Madang.migrations, logger: logger)
    return try await opening(engine) { database in
      let dialect = database.dialect
      return try await database.read { transaction in
        var all: [String: Set<[SQLValue]>] = [:]
        for table in schema.tables {
          let columns = table.columns.map(\.name).joined(separator: ", ")
          let isAudit = table.name == "audit"
          let condition: SQL = isAudit ? "WHERE kind NOT IN ('backupMade', 'exportMade', 'restored')" : ""
          try transaction.forEach("SELECT \(raw: columns) FROM \(raw: table.name) \(sql: condition)") { row in
            let isNew = all[table.name, default: []].insert(row.values).inserted
            #expect(isNew)
          }
          guard table.isNumbered, !isAudit else { continue }
          let last = try transaction.first(dialect.lastNumber(of: table.name)) { try $0.get("number", as: Int64?.self) }
          all["last number of \(table.name)"] = [[(last ?? nil).map(SQLValue.integer) ?? .null]]
        }
        return all
      }
    }
  }

  /// The bytes of all files in a directory, by their paths, but what arrives and what is in the trash.
  static func files(_ data: URL, _ folder: String) throws -> [String: Data] {
    let root = data.appending(path: folder)
    var all: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: root.path)
    where !path.hasPrefix("uploads") && !path.hasPrefix("trash") {
      let url = root.appending(path: path)
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isDirectory), !isDirectory.boolValue else {
        continue
      }
      all[path] = try Data(contentsOf: url)
    }
    return all
  }
}
