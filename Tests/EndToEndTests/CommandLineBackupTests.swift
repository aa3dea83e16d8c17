import Foundation
import MadangAPI
import MadangClient
import MadangOperations
import Storage
import Support
import Synchronization
import Testing

@Suite("madang admin backup, restore, check, export, import", .serialized, .timeLimit(.minutes(10)))
struct CommandLineBackupTests {
  private struct Outcome {
    let status: Int32
    let output: [String]
    let errors: [String]

    /// The objects printed with `--json`, after checking them against the manual.
    func objects(of arguments: [String]) throws -> [[String: JSONValue]] {
      let objects = try output.map { try JSONDecoder().decode([String: JSONValue].self, from: Data($0.utf8)) }
      CommandLineShapes.documented.check(objects, of: arguments)
      return objects
    }
  }

  private static func run(_ arguments: [String], _ environment: [String: String]) async throws -> Outcome {
    let program = try Program("madang", arguments, environment: environment)
    async let output = program.output.rest()
    async let errors = program.errors.rest()
    return await Outcome(status: program.status(), output: output, errors: errors)
  }

  private static func object(_ arguments: [String], _ environment: [String: String]) async throws -> [String: JSONValue]
  {
    let outcome = try await run(arguments + ["--json"], environment)
    try #require(outcome.status == 0, "\(arguments): \(outcome.errors)")
    #expect(outcome.errors == [])
    let objects = try outcome.objects(of: arguments)
    try #require(objects.count == 1)
    return objects[0]
  }

  /// Whether a later backup has the rows of an earlier one, plus the audit rows about the backups since.
  private static func hasRows(of earlier: [String: JSONValue], _ later: [String: JSONValue]) -> Bool {
    guard case .number(let before)? = earlier["rows"], case .number(let now)? = later["rows"] else { return false }
    return (0...20).contains(now - before)
  }

  /// The settings of a data directory and an engine, as environment variables.
  private static func environment(_ data: URL, _ place: DatabaseConfiguration.Engine) -> [String: String] {
    var environment = TestServer.cheapPasswords
    environment["MADANG_DATA"] = data.path
    if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
    return environment
  }

  @Test(
    "a backup under load contains every chat that was answered before; it passes the check, restores and serves",
    arguments: TestEngine.available)
  func underLoad(_ engine: TestEngine) async throws {
    try await withEngine(engine) { (place: DatabaseConfiguration.Engine) async throws -> Void in
      var settings = ["MADANG_LIMITS_REQUESTS": "0"]
      if case .postgres(let url) = place { settings["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: settings) { server in
        let environment = Self.environment(server.folder.appending(path: "data"), place)
        let backups = server.folder.appending(path: "backups")
        try await server.withPerson("Mina") { mina in
          let workspace = try await mina.createWorkspace(name: "Weekend").workspaceID
          let channel = try await mina.createChannel(name: "busy", in: workspace).channelID
          let room = RoomAddress.channel(id: channel, workspace: workspace)
          let picture = server.folder.appending(path: "x.png")
          try Data(Sample.png).write(to: picture)
          let load = Load()
          try await withThrowingTaskGroup(of: Void.self) { group in
            for writer in 0..<3 {
              group.addTask {
                var index = 0
                while load.goesOn {
                  let content = "\(writer)-\(index)"
                  let upload = try Upload(file: picture)
                  _ = try await mina.post(content, files: index % 3 == 0 ? [upload] : [], to: room)
                  load.wasAnswered(content)
                  index += 1
                }
              }
            }
            for round in 0..<3 {
              #expect(try await World.eventually { load.answered.count > round * 30 + 20 })
              let before = load.answered
              let made = try await Self.object(["admin", "backup", backups.path], environment)
              guard case .text(let path)? = made["path"] else { return #expect(Bool(false), "no path") }
              let checked = try await Self.run(["admin", "check", "--backup", path], environment)
              #expect(checked.status == 0 && checked.output == [], "\(checked)")
              try await Self.restoreAndRead(URL(filePath: path), engine, before, room)
            }
            load.end()
            try await group.waitForAll()
          }
          let live = try await Self.run(["admin", "check", "--hashes"], environment)
          #expect(live.status == 0 && live.errors == ["Nothing is wrong."], "\(live)")
        }
      }
    }
  }

  private final class Load: Sendable {
    private let state = Mutex<(answered: Set<String>, goesOn: Bool)>(([], true))
    var answered: Set<String> { state.withLock(\.answered) }
    var goesOn: Bool { state.withLock(\.goesOn) }
    func wasAnswered(_ content: String) { state.withLock { _ = $0.answered.insert(content) } }
    func end() { state.withLock { $0.goesOn = false } }
  }

  /// Restores to the other engine, if available, signs in there and reads.
  private static func restoreAndRead(
    _ backup: URL, _ engine: TestEngine, _ expected: Set<String>, _ room: RoomAddress
  ) async throws {
    try await withEngine(TestEngine.available.last { $0 != engine } ?? engine) { place in
      let folder = FileManager.default.temporaryDirectory.appending(path: "madang-restored-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: folder) }
      let environment = environment(folder, place)
      _ = try await object(["admin", "restore", backup.path], environment)
      let checked = try await run(["admin", "check", "--hashes"], environment)
      #expect(checked.status == 0 && checked.output == [], "\(checked)")
      let server = try Program("madang", ["serve", "--dev", "--port", "0"], environment: environment)
      let ready = "madang listening on "
      let url = String(try await server.output.next(beginning: ready).dropFirst(ready.count))
      let client = MadangClient(configuration: .init(server: url, apiKey: DevelopmentKey.october2024), store: .inMemory)
      try await client.signIn(email: "mina@example.com", password: "Passw0rd!")
      let history = try await client.history(of: room)
      #expect(Set(history.map(\.content)).isSuperset(of: expected))
      let file = try #require(history.first { !$0.files.isEmpty }?.files.first)
      let copy = folder.appending(path: "copy")
      _ = try await client.download(file, to: copy)
      #expect(try Array(Data(contentsOf: copy)) == Sample.png)
      #expect(try await client.post("after the restore", to: room).content == "after the restore")
      try await client.close()
      server.signal(SIGTERM)
      #expect(await server.status() == 0)
    }
  }

  @Test("a killed backup or restore leaves nothing that looks complete", arguments: TestEngine.available)
  func killed(_ engine: TestEngine) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-killed-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withEngine(engine) { place in
      let environment = Self.environment(folder.appending(path: "data"), place)
      try await Self.makeMany(environment)
      let backups = folder.appending(path: "backups")
      let whole = try await Self.object(["admin", "backup", backups.path], environment)
      // Kills it at several moments from the start to the end.
      for delay in stride(from: 20, through: 400, by: 40) {
        let program = try Program("madang", ["admin", "backup", backups.path], environment: environment)
        try await Task.sleep(for: .milliseconds(delay))
        program.signal(SIGKILL)
        _ = await program.status()
        let checked = try await Self.run(["admin", "check", "--backup", backups.path], environment)
        #expect(checked.status == 0, "\(delay) ms: \(checked)")
      }
      let last = try await Self.object(["admin", "backup", backups.path, "--keep", "1"], environment)
      #expect(Self.hasRows(of: whole, last) && last["files"] == whole["files"] && last["linked"] == whole["files"])
      let left = try FileManager.default.contentsOfDirectory(atPath: backups.path)
      #expect(left.filter { $0 != ".lock" }.count == 1)

      try await withEngine(engine) { target in
        let environment = Self.environment(folder.appending(path: "restored"), target)
        for delay in stride(from: 20, through: 300, by: 40) {
          let program = try Program("madang", ["admin", "restore", backups.path], environment: environment)
          try await Task.sleep(for: .milliseconds(delay))
          program.signal(SIGKILL)
          guard await program.status() != 0 else { break }
          let marker = folder.appending(path: "restored/restoring").path
          guard FileManager.default.fileExists(atPath: marker) else { continue }
          let refused = try await Self.run(["serve", "--port", "0"], environment)
          #expect(refused.status == 1 && refused.errors.joined().contains("is unfinished"), "\(refused)")
        }
        let restored = try await Self.run(["admin", "restore", backups.path, "--json"], environment)
        // It had ended before the signal arrived; or else it is resumed and completes.
        #expect(restored.status == 0 || restored.errors.joined().contains("is not empty"), "\(restored)")
        let again = folder.appending(path: "again")
        let copy = try await Self.object(["admin", "backup", again.path], environment)
        #expect(Self.hasRows(of: last, copy) && copy["files"] == last["files"])
        let checked = try await Self.run(["admin", "check", "--hashes"], environment)
        #expect(checked.status == 0, "\(checked)")
      }
    }
  }

  /// Creates an installation with 20,000 chats and 200 files, without a running server.
  private static func makeMany(_ environment: [String: String]) async throws {
    let server = try Program(
      "madang", ["serve", "--dev", "--port", "0"],
      environment: environment.merging(["MADANG_LIMITS_REQUESTS": "0"]) { $1 })
    let ready = "madang listening on "
    let url = String(try await server.output.next(beginning: ready).dropFirst(ready.count))
    let client = MadangClient(configuration: .init(server: url, apiKey: DevelopmentKey.october2024), store: .inMemory)
    try await client.signUp(email: "mina@example.com", password: "Passw0rd!", nickname: "Mina")
    let workspace = try await client.createWorkspace(name: "Weekend").workspaceID
    let channel = try await client.createChannel(name: "busy", in: workspace).channelID
    let room = RoomAddress.channel(id: channel, workspace: workspace)
    let picture = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString).png")
    defer { try? FileManager.default.removeItem(at: picture) }
    try Data(Sample.png).write(to: picture)
    for _ in 0..<40 {
      let uploads = try (0..<5).map { _ in try Upload(file: picture) }
      _ = try await client.post("pictures", files: uploads, to: room)
    }
    try await client.close()
    server.signal(SIGTERM)
    #expect(await server.status() == 0)
    let engine =
      environment["MADANG_DATABASE_URL"].map { DatabaseConfiguration.Engine.postgres(url: $0) }
      ?? .sqlite(path: (environment["MADANG_DATA"] ?? "") + "/madang.sqlite")
    try await opening(engine) { database in
      try await database.write { transaction in
        try transaction.execute(
          """
          WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 20000)
          INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
          SELECT 'chat', r.id, r.last_seq + n, 1, r.last_seq + n, 'some words to be written and read', 0, r.last_chat_at + n
          FROM numbers, rooms r WHERE r.last_seq > 0
          """)
        try transaction.execute(
          "UPDATE rooms SET last_seq = last_seq + 20000, last_chat_at = last_chat_at + 20000 WHERE last_seq > 0")
      }
    }
  }

  @Test("the manual's commands move the database to the other engine and back", arguments: TestEngine.available)
  func move(_ engine: TestEngine) async throws {
    let other = TestEngine.available.last { $0 != engine } ?? engine
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-move-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withEngine(engine) { place in
      let (data, out) = (folder.appending(path: "data"), folder.appending(path: "out").path)
      let here = Self.environment(data, place)
      try await Self.makeMany(here)
      let exported = try await Self.object(["admin", "export", out], here)
      let file = data.appending(path: "madang.sqlite")
      if engine == other, engine == .sqlite {
        try FileManager.default.moveItem(at: file, to: folder.appending(path: "aside"))
      }
      try await withEngine(other) { target in
        let there = Self.environment(data, target)
        let imported = try await Self.object(["admin", "import", out], there)
        #expect(imported["rows"] == exported["rows"])
        if engine == .sqlite, other == .postgres {
          #expect(imported["aside"] == .text(file.path + ".moved"))
          // The backup command with the old settings.
          let stale = try await Self.run(["admin", "backup", folder.appending(path: "backups").path], here)
          #expect(stale.status == 1 && stale.errors.joined().contains("\(file.path) does not exist"), "\(stale)")
        }
        let checked = try await Self.run(["admin", "check", "--hashes", "--json"], there)
        #expect(checked.status == 0 && checked.output == [] && checked.errors == [], "\(checked)")
        let twice = try await Self.run(["admin", "import", out], there)
        #expect(twice.status == 1 && twice.errors.first?.contains("is not empty") == true)
      }
    }
  }

  @Test("import refuses an export that lacks later rows; --older accepts it")
  func stale() async throws {
    guard let other = TestEngine.available.first(where: { $0 != .sqlite }) else { return }
    try await TestServer.run { server in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("say", "일반", "exported")
      let (data, out) = (server.folder.appending(path: "data"), server.folder.appending(path: "out").path)
      let here = Self.environment(data, .sqliteTemporary)
      let exported = try await Self.run(["admin", "export", out], here)
      #expect(
        exported.status == 0 && exported.errors.joined().contains("a server runs on this database"), "\(exported)")
      for text in ["late 1", "late 2"] { try await mina.object("say", "일반", text) }
      server.program.signal(SIGTERM)
      #expect(await server.program.status() == 0)
      try await withEngine(other) { target in
        let there = Self.environment(data, target)
        let refused = try await Self.run(["admin", "import", out], there)
        #expect(refused.status == 1 && refused.errors.joined().contains("2 in chats"), "\(refused)")
        #expect(FileManager.default.fileExists(atPath: data.appending(path: "madang.sqlite").path))
        let older = try await Self.run(["admin", "import", out, "--older"], there)
        #expect(older.status == 0, "\(older)")
      }
    }
  }

  @Test("only the owner can read what the commands write")
  func modes() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-modes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let here = Self.environment(folder.appending(path: "data"), .sqliteTemporary)
    try await Self.makeMany(here)
    let (backups, out) = (folder.appending(path: "backups"), folder.appending(path: "out"))
    _ = try await Self.object(["admin", "backup", backups.path], here)
    _ = try await Self.object(["admin", "export", out.path], here)
    let restored = folder.appending(path: "restored")
    let there = Self.environment(restored, .sqliteTemporary)
    _ = try await Self.object(["admin", "restore", backups.path], there)
    try FileManager.default.removeItem(at: restored.appending(path: "madang.sqlite"))
    _ = try await Self.object(["admin", "import", out.path], there)
    var count = 0
    for root in ["backups", "out", "restored"] {
      let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.appending(path: root).path)
      for path in [root] + paths.map({ "\(root)/\($0)" }) {
        let mode =
          try FileManager.default.attributesOfItem(atPath: folder.appending(path: path).path)[.posixPermissions] as? Int
        #expect((mode ?? 0o777) & 0o077 == 0, "\(path)")
        count += 1
      }
    }
    #expect(count > 400)
  }

  @Test("findings are lines with a cure, and status 1")
  func findings() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-findings-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = Self.environment(folder.appending(path: "data"), .sqliteTemporary)
    try await Self.makeMany(environment)
    let files = folder.appending(path: "data/files/channelChats")
    let file = try #require(try FileManager.default.contentsOfDirectory(atPath: files.path).first)
    try FileManager.default.removeItem(at: files.appending(path: file))
    let people = try await Self.run(["admin", "check"], environment)
    #expect(people.status == 1)
    #expect(people.output == ["channelChats/\(file): is missing (copy it back from a backup, unchanged)"])
    #expect(people.errors == ["madang: 1 finding"])
    let scripts = try await Self.run(["admin", "check", "--json"], environment)
    #expect(scripts.status == 1)
    let found = try scripts.objects(of: ["admin", "check"])
    #expect(found.map { $0["subject"] } == [.text("channelChats/\(file)")])
    let backups = folder.appending(path: "backups").path
    let backup = try await Self.run(["admin", "backup", backups, "--json"], environment)
    #expect(backup.status == 1)
    #expect(backup.errors.first == "lost: channelChats/\(file) is missing")
    let last = backup.errors.last ?? ""
    #expect(last.hasPrefix("madang: the backup is made, but files that the database names are missing"))
    _ = try backup.objects(of: ["admin", "backup"])
  }

  @Test("--files finds files in a bucket, as serve does; without it no file is assumed to be the server's")
  func bucket() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-bucket-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await FakeBucket.run { _, settings in
      let place = Self.environment(folder.appending(path: "data"), .sqliteTemporary)
      var environment = settings.bucketEnvironment.merging(place) { $1 }
      try await Self.makeMany(environment)
      let files = environment.removeValue(forKey: "MADANG_FILES_HOME") ?? ""
      let (home, backups) = (["--files", files], folder.appending(path: "backups").path)
      let made = try await Self.object(["admin", "backup", backups] + home, environment)
      #expect(made["losses"] == .texts([]) && made["files"] == .number(200))
      let checked = try await Self.run(["admin", "check", "--hashes"] + home, environment)
      // This bucket reports no sizes.
      #expect(!checked.output.contains { $0.hasPrefix("installation") || $0.contains("is missing") }, "\(checked)")

      let without = try await Self.run(["admin", "check"], environment)
      #expect(without.status == 1)
      #expect(without.output.first?.contains("the files to none") ?? false, "\(without.errors)")
      #expect(without.errors == ["madang: 201 findings"])
      let refused = try await Self.run(["admin", "backup", backups], environment)
      #expect(refused.status == 1 && refused.errors.joined().contains("--data, --files and --database-url belong"))
    }
  }

  @Test(
    "wrong usage is status 64, and missing data is reported",
    arguments: [
      ["backup"], ["backup", "x", "--keep", "0"], ["restore"], ["check", "--hashes", "--backup", "x"], ["export"],
      ["import"],
    ])
  func usage(_ arguments: [String]) async throws {
    #expect(try await Self.run(["admin"] + arguments, [:]).status == 64)
    let nothing = try await Self.run(["admin", "restore", "/nonexistent/backups"], [:])
    #expect(nothing.status == 1)
    #expect(
      nothing.errors == ["madang: /nonexistent/backups does not exist; name a directory of backups, or one backup"])
  }
}
