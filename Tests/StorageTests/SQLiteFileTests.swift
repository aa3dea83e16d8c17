import Foundation
import Logging
import Support
import Testing

@testable import Storage

/// What is done to SQLite's files by hand.
@Suite("SQLite files that are exchanged", .timeLimit(.minutes(1))) struct SQLiteFileTests {
  private let schema = Migration(
    version: 1, name: "t",
    sql: """
      CREATE TABLE t (n TEXT NOT NULL);
      CREATE TABLE installation (name TEXT PRIMARY KEY, value TEXT NOT NULL)
      """)

  private func configuration(_ path: String) -> DatabaseConfiguration {
    var configuration = DatabaseConfiguration(.sqlite(path: path))
    (configuration.readers, configuration.retryBackoff) = (1, .milliseconds(1))
    configuration.reconnectBackoffMin = .milliseconds(1)
    return configuration
  }

  /// A file with one row beside which there is an older copy without it, and the connection to it.
  private func withFile(_ body: (_ database: Database, _ path: String, _ old: String) async throws -> Void) async throws
  {
    try await withEngine(.sqlite) { place in
      guard case .sqlite(let path) = place else { return }
      try await open(path) { try await $0.migrate([schema]) }
      try FileManager.default.copyItem(atPath: path, toPath: path + "-old")
      try await open(path) { database in
        try await insert(database, "first")
        try await body(database, path, path + "-old")
      }
    }
  }

  private func open(_ path: String, _ body: (Database) async throws -> Void) async throws {
    try await closing(try await Database(configuration(path), logger: Logger(label: "test")), body)
  }

  private func insert(_ database: Database, _ text: String) async throws {
    try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (\(text))") }
  }

  private func texts(_ path: String) async throws -> [String] {
    var texts: [String] = []
    try await open(path) {
      texts = try await $0.read { try $0.all("SELECT n FROM t ORDER BY rowid") { try $0.get("n") } }
    }
    return texts
  }

  private func expectExchanged(_ database: Database, sourceLocation: SourceLocation = #_sourceLocation) async {
    let error = await #expect(throws: StorageError.self, sourceLocation: sourceLocation) {
      try await insert(database, "lost")
    }
    #expect(error?.code == .exchanged, "\(String(describing: error))", sourceLocation: sourceLocation)
  }

  @Test("writes are refused when another file stands at the path; both files stay whole")
  func exchanged() async throws {
    var moved = ""
    try await withFile { database, path, old in
      moved = path + "-moved"
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      try FileManager.default.copyItem(atPath: old, toPath: path)
      await expectExchanged(database)
      #expect(database.fileProblem?.contains(path) == true)
      await #expect(throws: StorageError.self) { try await database.ping() }
      // As a start would do beside or after the old server.
      try await Database.checkFile(at: path, readingUpTo: 1 << 20)
      #expect(try await texts(path) == [])
      await expectExchanged(database)
      let copy = path + "-seen"
      try FileManager.default.copyItem(atPath: moved, toPath: copy)
      #expect(try await texts(copy) == ["first"])
    }
  }

  @Test("when the file is put back, writes go on")
  func putBack() async throws {
    try await withFile { database, path, _ in
      try FileManager.default.moveItem(atPath: path, toPath: path + "-moved")
      await expectExchanged(database)
      try FileManager.default.moveItem(atPath: path + "-moved", toPath: path)
      try await insert(database, "second")
      #expect(database.fileProblem == nil)
      let count = try await database.read { try $0.first("SELECT count(*) AS x FROM t") { try $0.get("x") as Int } }
      #expect(count == 2)
    }
  }

  @Test("writes are refused when the file is written over in place")
  func overwritten() async throws {
    try await withFile { database, path, old in
      for number in 0..<20 { try await insert(database, "\(number) \(String(repeating: "x", count: 4000))") }
      try await database.write { _ = try $0.execute("SELECT 1") }
      // The log is brought into the file, which grows.
      let other = try await Database(configuration(path), logger: Logger(label: "test"))
      try await other.write { _ = try $0.execute("PRAGMA wal_checkpoint(PASSIVE)") }
      await other.close()
      try? await insert(database, "last")
      let size = try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
      let bytes = try Data(contentsOf: URL(filePath: old))
      #expect(bytes.count < size)
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: bytes)
      try file.close()
      await expectExchanged(database)
    }
  }

  @Test("writes are refused when the write-ahead log is removed; what was committed is in the file")
  func logRemoved() async throws {
    try await withEngine(.sqlite) { place in
      guard case .sqlite(let path) = place else { return }
      try await open(path) { database in
        try await database.migrate([schema])
        try await insert(database, "first")
        try FileManager.default.removeItem(atPath: path + "-wal")
        await expectExchanged(database)
      }
      #expect(try await texts(path) == ["first"])
    }
  }

  @Test("a log that another file has left is found before it destroys anything", arguments: [0, 64 << 20])
  func foreignLog(_ limit: Int) async throws {
    try await withEngine(.sqlite) { place in
      guard case .sqlite(let path) = place else { return }
      let (old, killed) = (path + "-old", path + "-killed")
      try await open(path) { database in
        try await database.migrate([schema])
        let identity = try #require(database.fileIdentity)
        try await database.write {
          _ = try $0.execute("INSERT INTO installation (name, value) VALUES (\(identity.name), \(identity.value))")
        }
        try await insert(database, "old")
      }
      try FileManager.default.copyItem(atPath: path, toPath: old)
      try await open(path) { database in
        for number in 0..<200 { try await insert(database, "\(number) \(String(repeating: "x", count: 3000))") }
        try await database.write { _ = try $0.execute("SELECT 1") }
        let other = try await Database(configuration(path), logger: Logger(label: "test"))
        try await other.write { _ = try $0.execute("PRAGMA wal_checkpoint(RESTART)") }
        await other.close()
        for number in 0..<5 { try await insert(database, "late \(number) \(String(repeating: "y", count: 3000))") }
        // As a server leaves them that is killed.
        for suffix in ["", "-wal"] { try FileManager.default.copyItem(atPath: path + suffix, toPath: killed + suffix) }
      }
      // A copy with its own log is whole.
      try await Database.checkFile(at: killed, readingUpTo: limit)
      try FileManager.default.removeItem(atPath: killed)
      try FileManager.default.copyItem(atPath: old, toPath: killed)
      let before = try Data(contentsOf: URL(filePath: killed))
      let error = await #expect(throws: StorageError.self) {
        try await Database.checkFile(at: killed, readingUpTo: limit)
      }
      #expect(error?.code == .damaged)
      #expect(try Data(contentsOf: URL(filePath: killed)) == before, "nothing was changed")
      // The cure.
      for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: killed + suffix) }
      try await Database.checkFile(at: killed, readingUpTo: limit)
      #expect(try await texts(killed) == ["old"])
    }
  }
}
