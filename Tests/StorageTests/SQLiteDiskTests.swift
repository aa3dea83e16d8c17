import Foundation
import Logging
import SocketIOSupport
import Storage
import Support
import Testing

/// Disk problems with SQLite: a full disk, a failing disk, a growing log.
@Suite(.timeLimit(.minutes(5))) struct SQLiteDiskTests {
  private let schema = Migration(version: 1, name: "t", sql: "CREATE TABLE t (n TEXT NOT NULL)")

  private func withFile(
    logLimit: Int = 64 << 20, logger: Logger = Logger(label: "test"),
    _ body: (Database, _ path: String) async throws -> Void
  ) async throws {
    try await withEngine(.sqlite) { place in
      guard case .sqlite(let path) = place else { return }
      var configuration = DatabaseConfiguration.forTests(place)
      (configuration.readers, configuration.retryBackoff) = (1, .milliseconds(1))
      configuration.walLimit = logLimit
      try await closing(try await Database(configuration, logger: logger)) { database in
        try await database.migrate([schema])
        try await body(database, path)
      }
    }
  }

  private func insert(_ database: Database, bytes: Int = 10) async throws {
    let text = String(repeating: "x", count: bytes)
    try await database.write { _ = try $0.execute("INSERT INTO t (n) VALUES (\(text))") }
  }

  private func count(_ database: Database) async throws -> Int? {
    try await database.read { try $0.first("SELECT count(*) AS x FROM t") { try $0.get("x") } }
  }

  private func logSize(_ path: String) throws -> Int {
    try FileManager.default.attributesOfItem(atPath: path + "-wal")[.size] as? Int ?? 0
  }

  @Test("a full disk refuses only writes, and when there is room they continue")
  func limited() async throws {
    try await withFile { database, _ in
      try await insert(database)
      try await database.write { _ = try $0.execute("PRAGMA max_page_count = 8") }
      let error = await #expect(throws: StorageError.self) { try await insert(database, bytes: 100_000) }
      #expect(error?.code == .diskFull)
      #expect(try await count(database) == 1)
      try await database.write { _ = try $0.execute("PRAGMA max_page_count = 1000000") }
      try await insert(database, bytes: 100_000)
      #expect(try await count(database) == 2)
    }
  }

  #if os(Linux)
    /// Replaces the file of this process's descriptors for a database's log. Returns the former ones.
    private func exchangeLog(of path: String, for other: String, _ flags: CInt) throws -> [(CInt, CInt)] {
      let folder = "/proc/self/fd"
      let descriptors = try FileManager.default.contentsOfDirectory(atPath: folder).compactMap { CInt($0) }.filter {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == path + "-wal"
      }
      let replacement = open(other, flags)
      defer { close(replacement) }
      return descriptors.map { descriptor in
        defer { dup2(replacement, descriptor) }
        return (descriptor, dup(descriptor))
      }
    }

    @Test("a write that finds no room in the log is refused, and the next one succeeds")
    func full() async throws {
      try await withFile { database, path in
        try await insert(database)
        let kept = try exchangeLog(of: path, for: "/dev/full", O_RDWR)
        #expect(!kept.isEmpty)
        let error = await #expect(throws: StorageError.self) { try await insert(database) }
        #expect(error?.code == .diskFull)
        for (descriptor, original) in kept {
          dup2(original, descriptor)
          close(original)
        }
        try await insert(database)
        #expect(try await count(database) == 2)
      }
    }

    @Test("a failing disk only loses the connection: it is reopened and the write counts once")
    func failing() async throws {
      try await withFile { database, path in
        try await insert(database)
        // A reader that does not know the schema yet would report a missing table instead of the disk error.
        #expect(try await count(database) == 1)
        for (_, original) in try exchangeLog(of: path, for: "/", O_RDONLY) { close(original) }
        // A directory can be neither read nor written. Whether that shows before COMMIT depends on the cache.
        let error = await failure(of: { try await insert(database) })
        if let error { #expect((error as? StorageError)?.code == .outcomeUnknown) }
        try await insert(database)
        #expect(try await count(database) == (error == nil ? 3 : 2))
      }
    }
  #endif

  @Test("a database file that vanishes is an error, and is not created again")
  func vanished() async throws {
    try await withFile { database, path in
      try await insert(database)
      try FileManager.default.removeItem(atPath: path)
      _ = try? await insert(database)
      #expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test("the log is checkpointed after a number of pages, and restarted")
  func checkpoints() async throws {
    try await withFile { database, path in
      for _ in 0..<300 { try await insert(database, bytes: 100_000) }
      // 30 MB were written; 4,000 pages have 16.4 MB.
      let size = try logSize(path)
      #expect((10_000_000...18_000_000).contains(size))
    }
  }

  @Test("the log is kept within its limit; while a reader prevents that it is logged, and corrected afterwards")
  func bounded() async throws {
    let recorder = LogRecorder()
    try await withFile(logLimit: 1 << 20, logger: recorder.logger) { database, path in
      for _ in 0..<40 { try await insert(database, bytes: 100_000) }
      let size = try logSize(path)
      #expect(size <= 5 << 20)
      #expect(recorder.lines == [])
      let gate = Gate()
      async let reader: Void = database.read { transaction in
        try transaction.execute("SELECT count(*) FROM t")
        gate.wait()
      }
      await gate.entered()
      let start = ContinuousClock.now
      for _ in 0..<80 { try await insert(database, bytes: 100_000) }
      let keptSize = try logSize(path)
      #expect(keptSize > 1 << 20)
      // One at once, and one every 10 s.
      let most = 1 + Int((ContinuousClock.now - start) / .seconds(10))
      #expect((1...most).contains(recorder.lines.count))
      #expect(recorder.lines.allSatisfy { $0.contains("cannot be emptied") })
      gate.open()
      try await reader
      // The first checkpoints the whole log, the second restarts it.
      for _ in 0..<2 { try await insert(database) }
      let sizeAfterwards = try logSize(path)
      #expect(sizeAfterwards <= 1 << 20)
    }
  }
}
