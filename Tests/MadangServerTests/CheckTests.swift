import Foundation
import MadangOperations
import MadangServer
import NIOHTTP1
import Support
import Testing

@testable import MadangCore
@testable import Storage

@Suite("Checks", .timeLimit(.minutes(5)))
struct CheckTests {
  /// A mistake in the database, and the expected finding.
  struct Mistake: CustomTestStringConvertible, Sendable {
    let name: String
    let change: SQL
    let found: [String]
    var testDescription: String { name }

    init(_ name: String, _ change: SQL, _ found: String...) {
      self.name = name
      self.change = change
      self.found = found
    }
  }

  static let mistakes = [
    Mistake(
      "a balance", "UPDATE users SET coins = coins + 7 WHERE id = 1",
      "coins account 1: has 97 coins, but its ledger sums up to 90"),
    Mistake(
      "an entry", "DELETE FROM coin_entries WHERE user_id = 2",
      "coins account 2: has 100 coins, but its ledger sums up to 0"),
    Mistake("a gap", "DELETE FROM chats WHERE content = '\\'", "room room 2: chat 3 comes after chat 1"),
    Mistake(
      "the last number", "UPDATE rooms SET last_seq = 70 WHERE kind = 'channel' AND last_seq > 1",
      "room room 2: its last chat is 8, but its row says 70"),
    Mistake(
      "a date", "UPDATE chats SET created_at = 5 WHERE room_id = 2 AND seq = 4",
      "room room 2: chat 4 is not later than the one before it"),
    Mistake(
      "an ordinal", "UPDATE chats SET author_ordinal = 9 WHERE room_id = 2 AND seq = 4",
      "room room 2: chat 4 is its author's number 9, after number 3"),
    Mistake(
      "an attachment", "DELETE FROM chat_files WHERE chat_id = 8 AND position > 0",
      "room room 2: chat 8 should have 2 files, but 1 are attached"),
    Mistake(
      "a picture", "UPDATE workspaces SET cover_image = 'workspaceCoverImages/none.png'",
      "file workspaceCoverImages/none.png: workspaces.cover_image names it, but the table files does not"),
    Mistake(
      "the id", "UPDATE installation SET value = 'other' WHERE name = 'id'",
      "installation installation: the database belongs to other, the files to ID"),
  ]

  @Test("a check of a healthy installation finds nothing, also beside a busy server", arguments: TestEngine.available)
  func nothing(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine, isFull: true) { (scene) async throws in
      #expect(try await BackupScene.findings(scene.settings) == [])
    }
    try await BackupScene.place(engine) { settings, _ in
      var settings = settings
      settings.callLimits.requests = 0
      try await World.run(settings) { [settings] world in
        let yard = try await world.courtyard()
        let channel = try await yard.a.channel("ios", in: yard.w)
        try await withThrowingTaskGroup(of: Void.self) { group in
          for person in [yard.a, yard.a] {
            group.addTask {
              for index in 0..<60 {
                _ = try await person.success(
                  .POST, "\(channel)/chats", .multipart([.text("content", "\(index)"), .file("files", Sample.png)]))
              }
            }
          }
          group.addTask {
            for index in 0..<10 {
              let room = try await yard.a.channel("short \(index)", in: yard.w)
              _ = try await yard.a.success(.POST, "\(room)/chats", .multipart([.file("files", Sample.gif)]))
              _ = try await yard.a.call(.DELETE, room)
            }
          }
          for _ in 0..<5 { #expect(try await BackupScene.findings(settings) == []) }
          try await group.waitForAll()
        }
        #expect(try await BackupScene.findings(settings) == [])
      }
    }
  }

  @Test("a check finds each mistake in the database", arguments: TestEngine.available)
  func mistakes(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let id = try await scene.installation()
      _ = try await scene.backUp()
      for mistake in Self.mistakes {
        // Each in a place of its own.
        try await scene.elsewhere(engine) { copy in
          try await scene.restore(to: copy)
          try await scene.change(copy, mistake.change)
          let expected = mistake.found.map { $0.replacing("ID", with: id) }
          #expect(try await BackupScene.findings(copy) == expected, "\(mistake.name)")
        }
      }
    }
  }

  @Test(
    "a check finds rows that refer to nothing and numbers that would be given twice", arguments: TestEngine.available)
  func references(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let dialect: Dialect = engine == .sqlite ? .sqlite : .postgres
      switch engine {
      case .sqlite:
        try scene.script(
          """
          PRAGMA foreign_keys = OFF;
          INSERT INTO coin_entries (user_id, amount, reason, created_at) VALUES (77, 1, 'x', 1)
          """)
      case .postgres:
        try await scene.change(
          scene.settings, "ALTER TABLE coin_entries DROP CONSTRAINT coin_entries_user_id_fkey",
          "INSERT INTO coin_entries (user_id, amount, reason, created_at) VALUES (77, 1, 'x', 1)")
      }
      #expect(
        try await BackupScene.findings(scene.settings)
          == ["reference coin_entries.user_id: 1 rows refer to missing rows of users"])
      try await scene.change(scene.settings, "DELETE FROM coin_entries WHERE user_id = 77")
      for statement in dialect.countOn("chats", after: 3) { try await scene.change(scene.settings, statement) }
      #expect(
        try await BackupScene.findings(scene.settings)
          == ["number chats: has the row 9, but the next number is 4"])
    }
  }

  @Test(
    "a check finds each mistake among the files", .enabled(if: !TestBucket.holdsAllFiles, "of the directory"),
    arguments: TestEngine.available)
  func files(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let root = scene.settings.dataDirectory.appending(path: "files")
      let paths = try FileManager.default.contentsOfDirectory(atPath: root.appending(path: "channelChats").path)
        .sorted()
        .map { "channelChats/\($0)" }
      var bytes = try Data(contentsOf: root.appending(path: paths[0]))
      bytes[20] ^= 1
      try bytes.write(to: root.appending(path: paths[0]))
      #expect(try await BackupScene.findings(scene.settings, hashes: false) == [])
      let damaged = "file \(paths[0]): has changed since it was stored: its SHA-256 differs"
      #expect(try await BackupScene.findings(scene.settings) == [damaged])

      try FileManager.default.removeItem(at: root.appending(path: paths[1]))
      try Data("x".utf8).write(to: root.appending(path: paths[0]))
      for (name, age) in [("new", 0.0), ("old", 3 * 3600.0)] {
        let orphan = root.appending(path: "profiles/\(name).png")
        try Data(Sample.png).write(to: orphan)
        try FileManager.default.setAttributes(
          [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: orphan.path)
      }
      #expect(
        try await BackupScene.findings(scene.settings, hashes: false) == [
          "file \(paths[0]): has 1 bytes instead of \(bytes.count)", "file \(paths[1]): is missing",
          "file profiles/old.png: it has no database row",
        ])
    }
  }

  @Test("a check finds a SQLite index without its rows")
  func integrity() async throws {
    try await BackupScene.run(.sqlite) { scene in
      try scene.script(
        """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = 'CREATE INDEX chats_by_author ON chats (room_id, author_id, seq)'
          WHERE name = 'chats_by_author'
        """)
      let found = try await BackupScene.findings(scene.settings)
      #expect(!found.isEmpty && found.allSatisfy { $0.hasPrefix("database database: ") })
    }
  }
}

extension BackupScene {
  func change(_ settings: ServerSettings, _ statements: SQL...) async throws {
    let engine =
      settings.database.url.map { DatabaseConfiguration.Engine.postgres(url: $0) }
      ?? .sqlite(path: settings.dataDirectory.appending(path: "madang.sqlite").path)
    try await opening(engine) { database in
      for statement in statements {
        // A SELECT that counts on is committed only with a change.
        try await database.write { transaction in
          try transaction.execute("UPDATE installation SET value = value")
          _ = try transaction.first(statement) { _ in true }
        }
      }
    }
  }

  /// Does to the installation's SQLite file what no transaction may.
  func script(_ text: String) throws {
    let path = settings.dataDirectory.appending(path: "madang.sqlite").path
    let connection = try SQLiteConnection(
      path: path, durable: true, access: .write, makes: false, watch: nil, DatabaseConfiguration(.sqlite(path: path)),
      Self.logger)
    defer { connection.close() }
    try connection.script(text)
  }

  func installation() async throws -> String {
    guard
      case .text(let id)? = try await Self.rows(settings)["installation"]?.first(where: { $0.first == .text("id") })?
        .last
    else { return "none" }
    return id
  }
}
