import Foundation
import Logging
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Storage
import Support
import Testing

@testable import MadangCore

@Suite("Installations", .timeLimit(.minutes(5)))
struct InstallationTests {
  /// Runs `body` with settings of a new data directory on an empty database.
  private static func place(
    _ engine: TestEngine, _ body: @escaping @Sendable (ServerSettings) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var settings = World.settings
      settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
      if case .postgres(let url) = place { settings.database.url = url }
      try await body(settings)
    }
  }

  private static func serve(
    _ settings: ServerSettings, _ body: @Sendable (World) async throws -> Void = { _ in }
  ) async throws {
    try await World.run(settings, body)
  }

  private static func upload(_ world: World) async throws {
    let a = try await world.signUp("Mina")
    let channel = try await a.channel("ios", in: try await a.workspace())
    _ = try await a.success(.POST, "\(channel)/chats", .multipart([.file("files", Sample.png)]))
  }

  private static func uploads(_ settings: ServerSettings) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: settings.dataDirectory.appending(path: "files/channelChats").path)
  }

  @Test(
    "a server starts again on its own files, also on those of a version without installation ids",
    arguments: TestEngine.available)
  func again(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings, Self.upload)
      try await Self.serve(settings)
      try FileManager.default.removeItem(at: settings.dataDirectory.appending(path: "files/installation"))
      try await Self.serve(settings)
      #expect(try Self.uploads(settings).count == 1)
    }
  }

  @Test(
    "a server with another database refuses to start, says why and deletes nothing", arguments: TestEngine.available)
  func otherDatabase(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings, Self.upload)
      for isMarked in [true, false] {
        if !isMarked {
          try FileManager.default.removeItem(at: settings.dataDirectory.appending(path: "files/installation"))
        }
        try await Self.place(engine) { other in
          var mistyped = settings
          mistyped.database.url = other.database.url
          if engine == .sqlite {
            let file = settings.dataDirectory.appending(path: "madang.sqlite")
            try FileManager.default.moveItem(at: file, to: settings.dataDirectory.appending(path: "aside"))
          }
          let error = await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
          let words = error?.description ?? ""
          // The database that is there knows nothing: another one has to be named, or loaded.
          #expect(words.contains("no upload was touched") && words.contains("madang admin import"))
          #expect(!words.contains("SELECT"))
          if engine == .sqlite {
            let file = settings.dataDirectory.appending(path: "madang.sqlite")
            try FileManager.default.removeItem(at: file)
            try FileManager.default.moveItem(at: settings.dataDirectory.appending(path: "aside"), to: file)
          }
        }
        #expect(try Self.uploads(settings).count == 1)
      }
      try await Self.serve(settings)
    }
  }

  @Test(
    "a server with another data directory refuses to start",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func otherDirectory(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings, Self.upload)
      try await Self.place(.sqlite) { other in
        var mistyped = settings
        mistyped.dataDirectory = other.dataDirectory
        await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
        // One that belongs to another installation is no better.
        mistyped.database.url = nil
        mistyped.dataDirectory = other.dataDirectory.appending(path: "theirs")
        try await Self.serve(mistyped)
        mistyped.database.url = settings.database.url
        await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
      }
    }
  }

  @Test(
    "a restored database without an id is accepted with its own files; hidden system files are not uploads",
    arguments: TestEngine.available)
  func restored(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings) { world in
        try await Self.upload(world)
        _ = try await world.server.madang.database.write { try $0.execute("DELETE FROM installation") }
      }
      try await Self.serve(settings)
      #expect(try Self.uploads(settings).count == 1)
    }
    // One without uploads, of a version that knew no id.
    try await Self.place(engine) { settings in
      try await Self.serve(settings) { world in
        _ = try await world.signUp("Mina")
        _ = try await world.server.madang.database.write { try $0.execute("DELETE FROM installation") }
      }
      try FileManager.default.removeItem(at: settings.dataDirectory.appending(path: "files/installation"))
      try await Self.serve(settings)
    }
    try await Self.place(engine) { settings in
      let folder = settings.dataDirectory.appending(path: "files/profiles")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data([0]).write(to: folder.appending(path: ".DS_Store"))
      try await Self.serve(settings)
    }
  }

  @Test("a start warns if every user of the machine can read the database")
  func openDatabase() async throws {
    try await Self.place(.sqlite) { (settings) async throws in
      func warnings() async throws -> Int {
        let log = LogRecorder()
        try await World.run(settings, logger: log.logger) { _ in }
        return log.lines.count { $0.hasPrefix("every user of this machine can read") && $0.contains("chmod -R go= ") }
      }
      #expect(try await warnings() == 0)
      let database = settings.dataDirectory.appending(path: "madang.sqlite").path
      #expect(chmod(database, 0o644) == 0)
      #expect(try await warnings() == 0, "nobody else can enter the directory")
      #expect(chmod(settings.dataDirectory.path, 0o755) == 0)
      #expect(try await warnings() == 1)
      #expect(chmod(database, 0o600) == 0)
      #expect(try await warnings() == 0)
    }
  }

  @Test(
    "an empty database refuses files of another installation without an id",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func unmarkedFiles(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings, Self.upload)
      try FileManager.default.removeItem(at: settings.dataDirectory.appending(path: "files/installation"))
      try await Self.place(engine) { other in
        try await Self.serve(other)
        var mistyped = settings
        mistyped.database.url = other.database.url
        await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
      }
      try await Self.serve(settings)
    }
  }

  private static func engine(_ settings: ServerSettings) -> DatabaseConfiguration.Engine {
    settings.database.url.map { .postgres(url: $0) }
      ?? .sqlite(path: settings.dataDirectory.appending(path: "madang.sqlite").path)
  }

  @Test("another installation's database is refused before its tables are changed", arguments: TestEngine.available)
  func untouched(_ engine: TestEngine) async throws {
    let migrations = Madang.migrations
    for version in [0, 1, migrations.count - 1] {
      try await Self.place(engine) { settings in
        try await Self.serve(settings)
        try await Self.place(engine) { other in
          var mistyped = settings
          mistyped.database.url = other.database.url
          if engine == .sqlite {
            try FileManager.default.moveItem(
              at: settings.dataDirectory.appending(path: "madang.sqlite"),
              to: settings.dataDirectory.appending(path: "aside"))
          }
          try await opening(Self.engine(mistyped)) { database in
            if version > 0 { try await database.migrate(Array(migrations.prefix(version))) }
            guard version > 5 else { return }
            _ = try await database.write { try $0.execute("INSERT INTO installation VALUES ('id', 'theirs')") }
          }
          let error = await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
          #expect(error?.description.contains("no upload was touched") == true)
          await #expect(throws: SetupError.self) {
            try await Administration.migrate(mistyped, logger: LogRecorder().logger)
          }
          let found = try await opening(Self.engine(mistyped)) { try await $0.pendingMigrations(migrations).version }
          #expect(found == version)
        }
      }
    }
  }

  @Test(
    "a first start that was cut off before the files had their id is completed by the next",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func cutOff(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await opening(Self.engine(settings)) { database in
        try await database.migrate(Madang.migrations)
        _ = try await database.write { try $0.execute("INSERT INTO installation VALUES ('id', 'first')") }
        #expect(try await database.tryAdvisoryLock("installation"))
        let error = await #expect(throws: SetupError.self) { try await Self.serve(settings) }
        #expect(error?.description.contains("need the same files") == true)
      }
      try await Self.serve(settings)
      let mark = settings.dataDirectory.appending(path: "files/installation")
      #expect(try String(contentsOf: mark, encoding: .utf8) == "first\n")
      // From then on files without the id are others, though nothing was uploaded.
      try FileManager.default.removeItem(at: mark)
      await #expect(throws: SetupError.self) { try await Self.serve(settings) }
    }
  }

  @Test("a new installation says so once, in case --data was mistyped", arguments: TestEngine.available)
  func new(_ engine: TestEngine) async throws {
    try await Self.place(engine) { (settings) async throws in
      var settings = settings
      settings.isDevelopment = false
      for expected in [1, 0] {
        let log = LogRecorder()
        try await World.run(settings, logger: log.logger) { _ in }
        let lines = log.lines.filter { $0.contains("new installation ID in \(settings.dataDirectory.path)") }
        #expect(lines.count == expected)
      }
    }
  }

  @Test("a database with tables of another program is refused", arguments: TestEngine.available)
  func tablesOfOthers(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try FileManager.default.createDirectory(at: settings.dataDirectory, withIntermediateDirectories: true)
      try await opening(Self.engine(settings)) { database in
        try await database.write { _ = try $0.execute("CREATE TABLE users (id BIGINT)") }
      }
      let error = await #expect(throws: SetupError.self) { try await Self.serve(settings) }
      let words = error?.description ?? ""
      #expect(words.contains("users") && words.contains("tables of another program") && words.utf8.count < 300)
    }
  }

  @Test("a data directory that cannot be made is named, with the command that makes it")
  func unusableDirectory() async throws {
    try await Self.place(.sqlite) { place in
      try Data().write(to: place.dataDirectory)
      let settings = World.settings(\.dataDirectory, place.dataDirectory.appending(path: "data"))
      let error = await #expect(throws: SetupError.self) { try await Self.serve(settings) }
      let command = "install -d -o \(geteuid()) -m 700 '\(settings.dataDirectory.path)'"
      #expect(error?.description.contains(command) == true)
    }
  }

  @Test("the upload directory is made again if it is removed under a running server")
  func uploadsTakenAway() async throws {
    try await Self.place(.sqlite) { settings in
      try await Self.serve(settings) { world in
        let uploads = world.data.appending(path: "files/uploads")
        try FileManager.default.removeItem(at: uploads)
        try await Self.upload(world)
        try FileManager.default.removeItem(at: uploads)
        try await world.server.madang.files.ping()
      }
    }
  }

  @Test("a database of a newer program is refused with a cure", arguments: TestEngine.available)
  func newerProgram(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings)
      let future = Migration(version: 9999, name: "future", sql: "CREATE TABLE future (id BIGINT)")
      try await opening(Self.engine(settings)) { try await $0.migrate(Madang.migrations + [future]) }
      let error = await #expect(throws: SetupError.self) { try await Self.serve(settings) }
      #expect(error?.description.contains("start the newer madang, or restore a backup") == true)
    }
  }

  @Test("a damaged database is refused with a cure")
  func damaged() async throws {
    for whole in [0, 100, 4096] {
      try await Self.place(.sqlite) { settings in
        try await Self.serve(settings)
        let file = settings.dataDirectory.appending(path: "madang.sqlite")
        let bytes = try Data(contentsOf: file)
        try (bytes.prefix(whole) + Data(repeating: 7, count: bytes.count - whole)).write(to: file)
        let error = await #expect(throws: SetupError.self) { try await Self.serve(settings) }
        #expect(error?.description.contains("move it away with its -wal and -shm") == true, "\(whole)")
      }
    }
  }
}
