import Foundation
import Logging
import MadangCore
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Trash", .enabled(if: !TestBucket.holdsAllFiles, "of the directory"))
struct TrashTests {
  /// The last day of a year, near midnight UTC.
  private static let newYearsEve: Int64 = 1_798_761_599_000

  @Test("a file without a row goes to the trash and stays there for days", arguments: TestEngine.available)
  func days(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: World.settings(\.domain.filePage, 2)) { (world) async throws in
      let clock = Clock({ Self.newYearsEve })
      let madang = Self.madang(on: world.server.madang.database, files: world, clock: clock, days: 2)
      for index in 0..<5 { try Data(Sample.png).write(to: Self.file(world, "profiles/orphan\(index).png")) }
      try FileManager.default.createDirectory(
        at: Self.file(world, "trash/2001-01-01 copy"), withIntermediateDirectories: true)
      func trash() async throws -> Set<String> { Set(try await world.files(in: "trash")) }
      let others: Set = ["2001-01-01 copy"]

      try await madang.sweepFiles(olderThan: 3_600_000)
      #expect(try await trash() == others, "their requests may still be running")
      try await madang.sweepFiles(olderThan: -60_000)
      #expect(try await world.files(in: "profiles").isEmpty)
      #expect(try await world.files(in: "trash/2026-12-31/profiles").count == 5)
      for (seconds, isThere): (Int64, Bool) in [(1, true), (86_400, true), (86_399, true), (1, false)] {
        clock.advance(milliseconds: seconds * 1000)
        try await madang.sweepFiles(olderThan: -60_000)
        #expect(try await trash() == (isThere ? others.union(["2026-12-31"]) : others))
      }
    }
  }

  @Test(
    "files that a server on the wrong database moved to the trash can be moved back", arguments: TestEngine.available)
  func wrongDatabase(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let body = World.Body.multipart([.file("files", Sample.png)])
      let path = try #require(try await a.success(.POST, "\(channel)/chats", body)["files"]?.list?.first?.string)
      let stored = String(path.dropFirst("/static/".count))
      try await withDatabase(engine) { other in
        let stranger = Self.madang(on: other, files: world, clock: Clock({ Self.newYearsEve }))
        try await stranger.migrate()
        try await stranger.sweepFiles(olderThan: -60_000)
      }
      #expect(!FileManager.default.fileExists(atPath: Self.file(world, stored).path))
      try FileManager.default.moveItem(
        at: Self.file(world, "trash/2026-12-31/\(stored)"), to: Self.file(world, stored))
      try await world.server.madang.sweepFiles(olderThan: -60_000)
      #expect(try await a.call(.GET, "/v1\(path)").body == Sample.png)
    }
  }

  @Test(
    "a deleted room's files do not go to the trash, even while they wait to be removed", arguments: TestEngine.available
  )
  func deleted(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let orphans = ["profiles/given-up.png", "profiles/orphan.png"]
      for path in orphans { try Data(Sample.png).write(to: Self.file(world, path)) }
      let madang = world.server.madang
      _ = try await madang.database.write { [due = madang.clock.now + 1000] transaction in
        try transaction.execute("INSERT INTO file_removals (path, due_at) VALUES (\(orphans[0]), \(due))")
      }
      try await madang.sweepFiles(olderThan: -60_000)
      #expect(try await world.files(in: "profiles") == ["given-up.png"])
      world.clock.advance(milliseconds: 1000)
      try await madang.removeRetiredFiles()
      #expect(try await world.files(in: "profiles").isEmpty)
      let days = try await world.files(in: "trash")
      #expect(days.count == 1)
      for day in days { #expect(try await world.files(in: "trash/\(day)/profiles") == ["orphan.png"]) }
    }
  }

  @Test("a server sweeps after its first interval", arguments: TestEngine.available)
  func interval(_ engine: TestEngine) async throws {
    let settings = World.settings(\.housekeepingInterval, .milliseconds(20))
    try await World.run(engine, settings: settings) { (world) async throws in
      let orphans = try Self.oldOrphans(in: world.data)
      #expect(try await World.eventually { !Self.areThere(orphans) })
      #expect(try await world.files(in: "trash").count == 1)
    }
  }

  @Test("a start removes retired files and sweeps nothing", arguments: TestEngine.available)
  func start(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      var settings = World.settings
      settings.dataDirectory = FileManager.default.temporaryDirectory.appending(
        path: "madang-trash-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
      if case .postgres(let url) = place { settings.database.url = url }
      let server = try await buildServer(settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      let orphans = try Self.oldOrphans(in: settings.dataDirectory)
      let picture = settings.dataDirectory.appending(path: "files/profiles/given-up.png")
      try Data(Sample.png).write(to: picture)
      _ = try await server.madang.database.write {
        try $0.execute("INSERT INTO file_removals (path, due_at) VALUES ('profiles/given-up.png', 0)")
      }
      let running = Task { try await server.run() }
      _ = try await server.port
      #expect(try await World.eventually { !Self.areThere([picture]) })
      running.cancel()
      _ = await running.result
      #expect(Self.areThere(orphans))
    }
  }

  private static func oldOrphans(in data: URL) throws -> [URL] {
    let orphans = ["profiles/old.png", "uploads/old"].map { data.appending(path: "files/\($0)") }
    for orphan in orphans {
      try Data(Sample.png).write(to: orphan)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSince1970: 0)], ofItemAtPath: orphan.path)
    }
    return orphans
  }

  private static func areThere(_ files: [URL]) -> Bool {
    files.contains { FileManager.default.fileExists(atPath: $0.path) }
  }

  private static func file(_ world: World, _ path: String) -> URL { world.data.appending(path: "files/\(path)") }

  /// Another server's domain on the same files.
  private static func madang(on database: Database, files world: World, clock: Clock, days: Int = 30) -> Madang {
    var settings = Settings()
    settings.filePage = 2
    settings.files.trashDays = days
    let files = FileStore(
      root: world.data.appending(path: "files"), workers: WorkerPool(name: "files", threads: 1, queueLimit: 100),
      ids: IDSource(), clock: clock)
    return Madang(
      database: database, clock: clock, ids: IDSource(), files: files, settings: settings,
      hashing: world.server.madang.hashing,
      logger: Logger(label: "test"), announce: { _ in })
  }
}
