import Foundation
import Logging
import Support
import Testing

@testable import Storage

/// Manual changes of SQLite's files.
@Suite("SQLite files that are exchanged", .timeLimit(.minutes(5))) struct SQLiteFileTests {
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

  /// A file with one row, an older copy of it without that row, and the connection to the file.
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

  @Test("writes are refused when another file is at the path; both files stay intact")
  func exchanged() async throws {
    var moved = ""
    try await withFile { database, path, old in
      moved = path + "-moved"
      try FileManager.default.moveItem(atPath: path, toPath: moved)
      try FileManager.default.copyItem(atPath: old, toPath: path)
      await expectExchanged(database)
      #expect(database.fileProblem?.contains(path) == true)
      await #expect(throws: StorageError.self) { try await database.ping() }
      // As at a start beside or after the old server.
      try await Database.checkFile(at: path, readingUpTo: 1 << 20)
      #expect(try await texts(path) == [])
      await expectExchanged(database)
      let copy = path + "-seen"
      try FileManager.default.copyItem(atPath: moved, toPath: copy)
      #expect(try await texts(copy) == ["first"])
    }
  }

  @Test(
    "a file that only the process still has is named with a path to copy it from; the copy has everything that was committed"
  )
  func replaced() async throws {
    try await withFile { database, path, old in
      try await insert(database, "second")
      guard rename(old, path) == 0 else { throw CocoaError(.fileWriteUnknown) }
      await expectExchanged(database)
      let words = try #require(database.fileProblem)
      let place = try #require(words.firstMatch(of: /copy (\/proc\/[0-9]+\/fd\/[0-9]+) before you stop/)?.1)
      let copy = path + "-copy"
      let bytes = try Data(contentsOf: URL(filePath: String(place)))
      try bytes.write(to: URL(filePath: copy))
      #expect(try await texts(copy) == ["first", "second"])
    }
  }

  @Test("when the file is put back, writes continue")
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

  @Test("writes are refused when the write-ahead log is removed; committed data is in the file")
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
}
