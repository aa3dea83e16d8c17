import Foundation
import Logging
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangServer

@Suite("Restoring", .timeLimit(.minutes(5)))
struct RestoreTests {
  enum Damage: CaseIterable {
    case flippedByteOfRows, cutRows, missingTable, flippedByteOfFile, missingFile, otherSecret, cutManifest,
      changedManifest, missingManifest, missingSum

    /// Damages a backup; answers the words it is refused with.
    func strike(_ backup: URL) throws -> String {
      func change(_ path: String, _ body: (inout Data) -> Void) throws {
        let file = backup.appending(path: path)
        var data = try Data(contentsOf: file)
        body(&data)
        // Not through the inode, which backups share.
        try FileManager.default.removeItem(at: file)
        try data.write(to: file)
      }
      let file = try #require(
        try FileManager.default.subpathsOfDirectory(atPath: backup.path).first { $0.hasSuffix(".pdf") })
      switch self {
      case .flippedByteOfRows:
        try change("tables/chats.tsv") { $0[$0.count / 2] ^= 1 }
        return "tables/chats.tsv is damaged"
      case .cutRows:
        try change("tables/users.tsv") { $0 = $0.dropLast(3) }
        return "tables/users.tsv is damaged"
      case .missingTable:
        try FileManager.default.removeItem(at: backup.appending(path: "tables/coin_entries.tsv"))
        return "tables/coin_entries.tsv cannot be read"
      case .flippedByteOfFile:
        try change(file) { $0[$0.count - 1] ^= 0x80 }
        return "\(file) is damaged"
      case .missingFile:
        try FileManager.default.removeItem(at: backup.appending(path: file))
        return "\(file) is missing"
      case .otherSecret:
        let secret = try #require(
          try FileManager.default.contentsOfDirectory(atPath: backup.appending(path: "secrets").path).first)
        try change("secrets/\(secret)") { $0 = Data("x".utf8) }
        return "secrets/\(secret) is missing or damaged"
      case .cutManifest:
        try change("manifest.json") { $0 = $0.dropLast($0.count / 2) }
        return "manifest.json is damaged"
      case .changedManifest:
        try change("manifest.json") {
          $0 = Data(String(decoding: $0, as: UTF8.self).replacing("\"rows\" : 3", with: "\"rows\" : 4").utf8)
        }
        return "manifest.json is damaged"
      case .missingManifest:
        try FileManager.default.removeItem(at: backup.appending(path: "manifest.json"))
        return "has no"
      case .missingSum:
        try FileManager.default.removeItem(at: backup.appending(path: "manifest.json.sha256"))
        return "manifest.json is damaged"
      }
    }
  }

  @Test("a damaged backup is refused, and nothing is written", arguments: TestEngine.available)
  func damage(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let whole = URL(filePath: try await scene.backUp().path)
      for damage in Damage.allCases {
        let backup = scene.folder.appending(path: "\(damage)")
        try FileManager.default.copyItem(at: whole, to: backup)
        let words = try damage.strike(backup)
        try await scene.elsewhere(engine) { target in
          let refusal = await BackupScene.refusal { try await scene.restore(backup, to: target) }
          #expect(refusal.contains(words), "\(damage): \(refusal)")
          #expect(!FileManager.default.fileExists(atPath: target.dataDirectory.path))
          // The place is as empty as before.
          try await scene.restore(whole, to: target)
        }
        if damage != .missingManifest, damage != .cutManifest, damage != .changedManifest, damage != .missingSum {
          let found = try await scene.backupFindings(backup)
          #expect(found.count == 1, "\(damage): \(found)")
        }
      }
    }
  }

  @Test("a restore can skip damaged files, and the next backup contains them again", arguments: TestEngine.available)
  func skipping(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let backup = URL(filePath: try await scene.backUp().path)
      let paths = try BackupScene.files(backup, "files").keys.sorted()
      let damaged = backup.appending(path: "files/\(paths[0])")
      try Data("damaged".utf8).write(to: damaged)
      try FileManager.default.removeItem(at: backup.appending(path: "files/\(paths[1])"))
      try await scene.elsewhere(engine) { target in
        let restored = try await Administration.restore(
          target, from: backup, skippingDamaged: true, logger: BackupScene.logger, progress: { _ in })
        #expect(restored.skipped == 2 && restored.files == paths.count - 2)
        let found = try await BackupScene.findings(target)
        #expect(found == paths.prefix(2).map { "file \($0): is missing" })
      }
      try FileManager.default.removeItem(at: damaged)
      let next = try await scene.backUp()
      #expect(next.linked == paths.count - 2 && next.files == paths.count)
      #expect(try await scene.backupFindings() == [])
    }
  }

  @Test("impossible numbers in a backup are refused without a crash")
  func numbers() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let whole = URL(filePath: try await scene.backUp().path)
      let manifest = try BackupManifest.read(from: whole)
      typealias Table = BackupManifest.Table
      func tables(_ change: (Table) -> (rows: Int, bytes: Int, last: Int64?)) -> [Table] {
        manifest.tables.map { table in
          let (rows, bytes, last) = change(table)
          return Table(
            name: table.name, columns: table.columns, rows: rows, bytes: bytes, sha256: table.sha256, lastNumber: last)
        }
      }
      let forged: [(BackupManifest, String)] = [
        (manifest.changed(createdAt: .min), "the date -9223372036854775808"),
        (manifest.changed(createdAt: 253_402_300_800_000), "the date 253402300800000"),
        (manifest.changed(tables: tables { (.max, $0.bytes, $0.lastNumber) }), "the numbers of the table"),
        (manifest.changed(tables: tables { (-1, $0.bytes, $0.lastNumber) }), "the numbers of the table"),
        (manifest.changed(tables: tables { ($0.rows, -1, $0.lastNumber) }), "the numbers of the table"),
        (manifest.changed(tables: tables { (.max, .max, $0.lastNumber) }), "the numbers of its tables"),
        (manifest.changed(tables: tables { ($0.rows, $0.bytes, .max) }), "the numbers of the table"),
        (manifest.changed(files: .init(count: -1, bytes: 0, absent: [])), "the files"),
        (manifest.changed(files: .init(count: 0, bytes: .min, absent: [])), "the files"),
      ]
      let backup = scene.folder.appending(path: "forged")
      try FileManager.default.copyItem(at: whole, to: backup)
      try await scene.elsewhere(.sqlite) { target in
        func refusal() async -> String {
          await BackupScene.refusal { try await scene.restore(backup, to: target) }
        }
        for (forged, words) in forged {
          try forged.replace(in: backup)
          let refusal = await refusal()
          #expect(refusal.contains("manifest.json is not the manifest of a backup: \(words)"), "\(refusal)")
        }
        for number in [Int64.min, .max] {
          try manifest.forge("chats", in: backup) { rows, columns in
            rows[0][try #require(columns.firstIndex(of: "created_at"))] = "\(number)"
          }
          let refusal = await refusal()
          #expect(refusal.contains("chats.tsv has the number \(number), which madang never uses"), "\(refusal)")
        }
      }
    }
  }

  @Test("links, pipes, devices and foreign table names in a backup are refused at once")
  func foreignThings() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let whole = URL(filePath: try await scene.backUp().path)
      let file = try #require(BackupScene.files(whole, "files").keys.min())
      let secret = "secrets/api-key-2024-10"
      // Where it lies, and the words it is refused with.
      let places = [
        ("tables/users.tsv", "users.tsv cannot be read"), ("files/\(file)", "is missing"),
        (secret, "is missing or damaged"), ("manifest.json", "it has no readable manifest.json"),
        ("manifest.json.sha256", "manifest.json is damaged"),
      ]
      let same = scene.folder.appending(path: "same")
      let things: [(name: String, make: @Sendable (URL) throws -> Void)] = [
        ("zero", { try FileManager.default.createSymbolicLink(atPath: $0.path, withDestinationPath: "/dev/zero") }),
        ("pipe", { try #require(mkfifo($0.path, 0o600) == 0) }),
        ("link", { try FileManager.default.createSymbolicLink(at: $0, withDestinationURL: same) }),
        ("folder", { try FileManager.default.createDirectory(at: $0, withIntermediateDirectories: false) }),
      ]
      try await scene.elsewhere(.sqlite) { target in
        for (path, words) in places {
          for thing in things {
            let backup = scene.folder.appending(path: "forged")
            try? FileManager.default.removeItem(at: backup)
            try? FileManager.default.removeItem(at: same)
            try FileManager.default.copyItem(at: whole, to: backup)
            try FileManager.default.moveItem(at: backup.appending(path: path), to: same)
            try thing.make(backup.appending(path: path))
            let refusal = await BackupScene.refusal { try await scene.restore(backup, to: target) }
            #expect(refusal.contains(words), "\(thing.name) at \(path): \(refusal)")
            #expect(!FileManager.default.fileExists(atPath: target.dataDirectory.path))
          }
        }
        let manifest = try BackupManifest.read(from: whole)
        let backup = scene.folder.appending(path: "named")
        try FileManager.default.copyItem(at: whole, to: backup)
        for (name, words) in [
          ("../../x", "a table's name"), ("", "a table's name"), ("a\0b", "a table's name"),
          ("strangers", "the backup's tables differ from those of version"),
        ] {
          let tables = manifest.tables.map { table in
            guard table.name == "users" else { return table }
            return BackupManifest.Table(
              name: name, columns: table.columns, rows: table.rows, bytes: table.bytes, sha256: table.sha256,
              lastNumber: table.lastNumber)
          }
          try manifest.changed(tables: tables).replace(in: backup)
          try? FileManager.default.copyItem(
            at: whole.appending(path: "tables/users.tsv"), to: backup.appending(path: "tables/strangers.tsv"))
          let refusal = await BackupScene.refusal { try await scene.restore(backup, to: target) }
          #expect(refusal.contains(words), "\(name): \(refusal)")
        }
      }
    }
  }

  @Test("a manifest that is too long fails its backup before an older one is removed")
  func longManifest() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let backup = try Backup(at: URL(filePath: try await scene.backUp().path))
      let folder = scene.folder.appending(path: "long")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let error = #expect(throws: BackupProblem.self) { try backup.manifest.write(to: folder, limit: 1000) }
      #expect(error?.description.contains("too many to list in it; make another backup") ?? false)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
    }
  }

  @Test("a restore needs an empty target, and the refusal names the cure", arguments: TestEngine.available)
  func emptyPlaces(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      _ = try await scene.backUp()
      let rows = try await BackupScene.rows(scene.settings)
      @Sendable func refusal(_ settings: ServerSettings) async -> String {
        await BackupScene.refusal { try await scene.restore(to: settings) }
      }
      // A running server, and one that has stopped.
      try await scene.serve { _ in
        #expect(await refusal(scene.settings).contains("is not empty; name another directory with --data"))
      }
      #expect(await refusal(scene.settings).contains("use 'madang admin import'"))
      // Its database under another directory.
      if engine == .postgres {
        var mixed = scene.settings
        mixed.dataDirectory = scene.folder.appending(path: "empty")
        if TestBucket.holdsAllFiles { mixed.keepFilesInTestBucket() }
        #expect(await refusal(mixed).contains("the database is not empty: "))
        #expect(try FileManager.default.contentsOfDirectory(atPath: mixed.dataDirectory.path) == [])
      }
      // A database that cannot be reached: nothing stays that a later try could take for a restore that was cut off.
      var unreachable = scene.settings
      unreachable.dataDirectory = scene.folder.appending(path: "unreachable")
      unreachable.database.url = "postgres://nobody@127.0.0.1:1/none"
      #expect(await refusal(unreachable).contains("the database cannot be opened"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: unreachable.dataDirectory.path) == [])
      #expect(try await BackupScene.rows(scene.settings) == rows)
      #expect(try await BackupScene.findings(scene.settings) == [])
    }
  }

  @Test(
    "an interrupted restore continues when run again, and no server starts before",
    arguments: TestEngine.available)
  func interrupted(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let backup = URL(filePath: try await scene.backUp().path)
      let rows = try await BackupScene.rows(scene.settings)
      let file = try #require(BackupScene.files(backup, "files").keys.max())
      // What goes away as soon as the files are being restored, so that the restore fails there or afterwards.
      for gone in ["files/\(file)", "tables/chats.tsv"] {
        try await scene.elsewhere(engine) { target in
          let (original, aside) = (backup.appending(path: gone), scene.folder.appending(path: "aside"))
          let failure = await BackupScene.refusal {
            _ = try await Administration.restore(
              target, from: scene.backups, skippingDamaged: false, logger: BackupScene.logger
            ) { progress in
              guard progress.phase == "restoring files" else { return }
              try? FileManager.default.moveItem(at: original, to: aside)
            }
          }
          #expect(failure.contains("cannot be read"))
          let words = await BackupScene.refusal { try await scene.serve(target) { _ in } }
          #expect(words.contains("is unfinished; run 'madang admin restore' again"))
          try FileManager.default.moveItem(at: aside, to: original)
          try await BackupScene.run(engine) { other in
            let stranger = await BackupScene.refusal {
              try await scene.restore(URL(filePath: try await other.backUp().path), to: target)
            }
            #expect(stranger.contains("the restore of another backup"))
          }
          try await scene.restore(to: target)
          #expect(try await BackupScene.rows(target) == rows)
          #expect(try await BackupScene.findings(target) == [])
          try await scene.serve(target) { _ in }
        }
      }
    }
  }

  @Test("a restore killed while writing its marker starts over", arguments: TestEngine.available)
  func killedAtTheStart(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      _ = try await scene.backUp()
      let rows = try await BackupScene.rows(scene.settings)
      try await scene.elsewhere(engine) { target in
        try target.makeDataDirectory()
        try Data("half an".utf8).write(to: target.dataDirectory.appending(path: RestoreMarker.draftName))
        try await scene.restore(to: target)
        #expect(try await BackupScene.rows(target) == rows)
        try await scene.serve(target) { _ in }
      }
    }
  }

  @Test("rows loaded before an interruption are not loaded twice", arguments: TestEngine.available)
  func loaded(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      _ = try await scene.backUp()
      try await scene.elsewhere(engine) { target in
        try await scene.restore(to: target)
        let rows = try await BackupScene.rows(target)
        try RestoreMarker(in: target.dataDirectory).set(try Backup(at: scene.backups).manifest.identity)
        try await scene.restore(to: target)
        #expect(try await BackupScene.rows(target) == rows)
        try await scene.serve(target) { _ in }
      }
    }
  }

  @Test("documents whose type is known by extension only are restored", arguments: TestEngine.available)
  func documents(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      try await scene.serve { world in
        let author = try await world.signUp("Author")
        let channel = try await author.channel("documents", in: try await author.workspace("Documents"))
        let compound: [UInt8] = [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1, 0]
        let parts = [("계약.hwp", compound), ("a.docx", Sample.zip), ("a.md", Sample.text)].map {
          World.Part.file("files", $0.1, filename: $0.0)
        }
        _ = try await author.success(.POST, "\(channel)/chats", .multipart(parts))
      }
      _ = try await scene.backUp()
      let rows = try await BackupScene.rows(scene.settings)
      try await scene.elsewhere(engine) { target in
        try await scene.restore(to: target)
        #expect(try await BackupScene.rows(target) == rows)
        #expect(try await BackupScene.findings(target) == [])
      }
    }
  }

  @Test("a backup of an older version is migrated, one of a newer version refused", arguments: TestEngine.available)
  func versions(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let backup = URL(filePath: try await scene.backUp().path)
      let rows = try await BackupScene.rows(scene.settings)
      let manifest = try BackupManifest.read(from: backup)
      // The version before the last migrations, which made these tables, and changed others.
      let version = 8
      let added = [
        "push_outbox", "audit", "invitations", "mails", "password_resets", "address_confirmations", "read_only_mode",
        "file_usage", "announcements", "announcement_rooms", "deleted_sign_ins", "sign_in_places", "mail_counts",
        "alarms", "former_authors", "administrators", "administrator_codes", "administrator_sessions",
        "administrator_links", "administrator_tries", "certificates", "certificate_issues", "certificate_accounts",
        "certificate_proofs", "certificate_wishes",
      ]
      let older = scene.folder.appending(path: "older")
      try FileManager.default.copyItem(at: backup, to: older)
      let migrations = manifest.migrations.filter { $0.version <= version }
      let columns = [
        ("api_keys", "registration"), ("users", "deleted_at"), ("rooms", "cleared_seq"), ("workspaces", "chat_days"),
        ("workspaces", "file_days"), ("workspaces", "held_at"), ("users", "sign_in_revoked_at"),
        ("workspaces", "channel_limit"), ("workspaces", "member_limit"), ("workspaces", "file_limit"),
        ("sessions", "device_token_at"), ("sessions", "device_hash"), ("sessions", "address"), ("sessions", "device"),
        ("users", "unconfirmed_at"), ("users", "pending_at"), ("api_keys", "approval"),
        ("files", "name"),
      ]
      try columns.reduce(manifest) { try $0.dropping($1.1, of: $1.0, in: older) }
        .changed(migrations: migrations, without: added).replace(in: older)
      try await scene.elsewhere(engine) { target in
        let restored = try await scene.restore(older, to: target)
        #expect(restored.version == version)
        // The names of documents were not there yet, nor where sessions were begun.
        let kept: (String) -> Bool = { !added.contains($0) && $0 != "files" && $0 != "sessions" }
        let back = try await BackupScene.rows(target)
        #expect(back.filter { kept($0.key) } == rows.filter { kept($0.key) })
        for table in ["files", "sessions"] { #expect(back[table]?.count == rows[table]?.count) }
        try await scene.serve(target) { _ in }
      }
      let newer = BackupManifest.Migration(version: 1000, name: "later", checksum: "0")
      try manifest.changed(migrations: manifest.migrations + [newer]).replace(in: older)
      try await scene.elsewhere(engine) { target in
        let words = await BackupScene.refusal { try await scene.restore(older, to: target) }
        #expect(words.contains("has version 1000 of the tables"))
        #expect(words.contains("or with a newer one"))
        #expect(!FileManager.default.fileExists(atPath: target.dataDirectory.path))
      }
    }
  }

  @Test("the database moves to the other engine and back without its files", arguments: TestEngine.available)
  func move(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine, isFull: true) { scene in
      let rows = try await BackupScene.rows(scene.settings)
      let other = TestEngine.available.last { $0 != engine } ?? engine
      try await scene.elsewhere(other) { place in
        // The same data directory and files, another database.
        var moved = scene.settings
        moved.database.url = place.database.url
        let (out, back) = (scene.folder.appending(path: "out"), scene.folder.appending(path: "back"))
        try await scene.export(scene.settings, to: out)
        let again = await BackupScene.refusal { try await scene.export(scene.settings, to: out) }
        #expect(again.contains("is not empty"))
        #expect(
          await BackupScene.refusal { try await scene.restore(out, to: moved) }.contains("use 'madang admin import'"))
        let file = moved.dataDirectory.appending(path: "madang.sqlite")
        if other == .sqlite, engine == .sqlite { try FileManager.default.removeItem(at: file) }
        try await scene.load(out, into: moved)
        #expect(try await BackupScene.rows(moved) == rows)
        #expect(try await BackupScene.findings(moved) == [])
        #expect(
          await BackupScene.refusal { try await scene.load(out, into: moved) }.contains("the database is not empty"))
        try await scene.serve(moved) { world in _ = try await world.signUp("Newcomer") }

        let now = try await BackupScene.rows(moved)
        try await scene.export(moved, to: back)
        // What was left behind was put aside, unless the engine is the same.
        if engine == .sqlite, other == .sqlite { try FileManager.default.removeItem(at: file) }
        try await scene.elsewhere(engine) { empty in
          var home = scene.settings
          home.database.url = empty.database.url
          try await scene.load(back, into: home)
          #expect(try await BackupScene.rows(home) == now)
          #expect(try await BackupScene.findings(home) == [])
        }
      }
    }
  }

  @Test(
    "moving to PostgreSQL sets the embedded database aside, unless a server uses it",
    .enabled(if: TestEngine.available.contains(.postgres)))
  func aside() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let (data, out) = (scene.settings.dataDirectory, scene.folder.appending(path: "out"))
      let file = data.appending(path: "madang.sqlite")
      try await scene.export(scene.settings, to: out)
      for name in ["madang.sqlite.moved", "madang.sqlite.moved-2"] {
        try await scene.elsewhere(.postgres) { place in
          var moved = scene.settings
          moved.database.url = place.database.url
          var running: MadangServer? = try await buildServer(scene.settings, isAlone: true, logger: BackupScene.logger)
          let words = await BackupScene.refusal { [moved] in try await scene.load(out, into: moved) }
          #expect(words.contains("a server runs on \(data.path)"))
          #expect(FileManager.default.fileExists(atPath: file.path))
          await running?.madang.database.close()
          running = nil
          // As after a crash. The import counts the rows of the database first, which ends its log.
          try Data().write(to: URL(filePath: file.path + "-wal"))
          #expect(try await scene.load(out, into: moved).aside == data.appending(path: name).path)
          let names = try FileManager.default.contentsOfDirectory(atPath: data.path)
          #expect(names.contains(name))
          #expect(!names.contains { ["madang.sqlite", "madang.sqlite-wal", "madang.sqlite-shm"].contains($0) })
        }
        let backup = await BackupScene.refusal { _ = try await scene.backUp() }
        #expect(backup.contains("does not exist"))
        let serving = await BackupScene.refusal { try await scene.serve { _ in } }
        #expect(serving.contains("the database has no id"))
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file.path + suffix) }
        if name.hasSuffix("moved") {
          try FileManager.default.copyItem(at: data.appending(path: name), to: file)
        }
      }
    }
  }

  @Test("a database is not imported beside files of another installation, or without its own")
  func foreignFiles() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let export = scene.folder.appending(path: "export")
      try await scene.export(scene.settings, to: export)
      try await BackupScene.run(.sqlite) { other in
        let file = other.settings.dataDirectory.appending(path: "madang.sqlite")
        try FileManager.default.removeItem(at: file)
        let words = await BackupScene.refusal { try await scene.load(export, into: other.settings) }
        #expect(words.contains("are not of installation"))
        #expect(!FileManager.default.fileExists(atPath: file.path))
      }
      try await scene.elsewhere(.sqlite) { empty in
        let words = await BackupScene.refusal { try await scene.load(export, into: empty) }
        #expect(words.contains("copy the right files there first, or restore a backup"))
      }
    }
  }
}

extension BackupManifest {
  func changed(migrations: some Collection<Migration>, without others: [String] = []) -> BackupManifest {
    BackupManifest(
      format: format, createdAt: createdAt, installation: installation, engine: engine, migrations: Array(migrations),
      tables: tables.filter { !others.contains($0.name) }, files: files, secrets: secrets)
  }

  /// The same with other numbers; those that are nil stay.
  func changed(createdAt: Int64? = nil, tables: [Table]? = nil, files: Files? = nil) -> BackupManifest {
    BackupManifest(
      format: format, createdAt: createdAt ?? self.createdAt, installation: installation, engine: engine,
      migrations: migrations, tables: tables ?? self.tables, files: files ?? self.files, secrets: secrets)
  }

  /// The same without a column of a table, whose rows are written anew.
  func dropping(_ column: String, of name: String, in folder: URL) throws -> BackupManifest {
    try changed(
      tables: tables.map { table in
        guard table.name == name, let index = table.columns.firstIndex(where: { $0.name == column }) else {
          return table
        }
        let file = folder.appending(path: table.path)
        let lines = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").map { line in
          var cells = line.split(separator: "\t", omittingEmptySubsequences: false)
          cells.remove(at: index)
          return cells.joined(separator: "\t") + "\n"
        }
        let bytes = Data(lines.joined().utf8)
        try FileManager.default.removeItem(at: file)
        try bytes.write(to: file)
        return Table(
          name: name, columns: table.columns.filter { $0.name != column }, rows: table.rows, bytes: bytes.count,
          sha256: try Digest(of: file).hex, lastNumber: table.lastNumber)
      })
  }

  /// Replaces a table's bytes, like an attacker who can compute all checksums.
  func forge(_ name: String, in folder: URL, _ body: (inout [[String]], [String]) throws -> Void) throws {
    let tables = try tables.map { table in
      guard table.name == name else { return table }
      let file = folder.appending(path: table.path)
      var rows = String(decoding: try Data(contentsOf: file), as: UTF8.self).split(separator: "\n").map {
        $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      }
      try body(&rows, table.columns.map(\.name))
      let bytes = Data(rows.map { $0.joined(separator: "\t") + "\n" }.joined().utf8)
      try FileManager.default.removeItem(at: file)
      try bytes.write(to: file)
      return Table(
        name: name, columns: table.columns, rows: rows.count, bytes: bytes.count, sha256: try Digest(of: file).hex,
        lastNumber: table.lastNumber)
    }
    try changed(tables: tables).replace(in: folder)
  }

  func replace(in folder: URL) throws {
    for name in ["manifest.json", "manifest.json.sha256"] {
      try FileManager.default.removeItem(at: folder.appending(path: name))
    }
    try write(to: folder)
  }
}
