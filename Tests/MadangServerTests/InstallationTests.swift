import Foundation
import Logging
import MadangCore
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("Installations")
struct InstallationTests {
  /// Runs `body` with settings of a new data directory on an empty database.
  private static func place(
    _ engine: TestEngine, _ body: @escaping @Sendable (ServerSettings) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var settings = World.settings
      settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
      if case .postgres(let url) = place { settings.databaseURL = url }
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
    "a server starts again on its own files, also on those of a version that knew no id",
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
    "with another database a server refuses to start, says why, and deletes nothing", arguments: TestEngine.available)
  func otherDatabase(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings, Self.upload)
      for isMarked in [true, false] {
        if !isMarked {
          try FileManager.default.removeItem(at: settings.dataDirectory.appending(path: "files/installation"))
        }
        try await Self.place(engine) { other in
          var mistyped = settings
          mistyped.databaseURL = other.databaseURL
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
    "with another data directory a server refuses to start",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func otherDirectory(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings, Self.upload)
      try await Self.place(.sqlite) { other in
        var mistyped = settings
        mistyped.dataDirectory = other.dataDirectory
        await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
        // One that belongs to another installation is no better.
        mistyped.databaseURL = nil
        mistyped.dataDirectory = other.dataDirectory.appending(path: "theirs")
        try await Self.serve(mistyped)
        mistyped.databaseURL = settings.databaseURL
        await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
      }
    }
  }

  @Test(
    "a database restored from before it had an id is taken with its own files; hidden files of systems are no uploads",
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
    try await Self.place(engine) { settings in
      let folder = settings.dataDirectory.appending(path: "files/profiles")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try Data([0]).write(to: folder.appending(path: ".DS_Store"))
      try await Self.serve(settings)
    }
  }

  @Test("a server that starts says if every user of the machine can read its database")
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
    "a database without uploads does not take the files of another whose id is missing",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func unmarkedFiles(_ engine: TestEngine) async throws {
    try await Self.place(engine) { settings in
      try await Self.serve(settings, Self.upload)
      try FileManager.default.removeItem(at: settings.dataDirectory.appending(path: "files/installation"))
      try await Self.place(engine) { other in
        try await Self.serve(other)
        var mistyped = settings
        mistyped.databaseURL = other.databaseURL
        await #expect(throws: SetupError.self) { try await Self.serve(mistyped) }
      }
      try await Self.serve(settings)
    }
  }
}
