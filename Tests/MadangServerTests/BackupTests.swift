import Foundation
import MadangOperations
import MadangServer
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore

@Suite("Backups", .timeLimit(.minutes(5)))
struct BackupTests {
  @Test(
    "a backup restored on the other engine and back keeps every row, file and secret",
    arguments: TestEngine.available)
  func roundTrip(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine, isFull: true) { scene in
      let rows = try await BackupScene.rows(scene.settings)
      let tables = try await Schema(Madang.migrations, logger: BackupScene.logger).tables.map(\.name)
      // Of read-only mode nothing is restored.
      for table in tables where table != "read_only_mode" {
        #expect(rows[table]?.isEmpty == false, "\(table) takes part")
      }
      let first = try await scene.backUp()
      #expect(first.rows == tables.reduce(0) { $0 + (rows[$1]?.count ?? 0) })
      #expect(first.losses == [])
      let other = TestEngine.available.last { $0 != engine } ?? engine
      try await scene.elsewhere(other) { middle in
        try await scene.restore(to: middle)
        #expect(try await BackupScene.rows(middle) == rows)
        let second = middle.dataDirectory.deletingLastPathComponent().appending(path: "backups")
        _ = try await scene.backUp(middle, to: second)
        try await scene.elsewhere(engine) { end in
          let restored = try await scene.restore(second, to: end)
          // With the first restore as another row.
          #expect(restored.files == first.files && restored.rows == first.rows + 1)
          #expect(try await BackupScene.rows(end) == rows)
          #expect(try await BackupScene.findings(end) == [])
          #expect(
            try BackupScene.files(end.dataDirectory, "secrets")
              == BackupScene.files(scene.settings.dataDirectory, "secrets"))
          let key = end.dataDirectory.appending(path: "secrets/api-key-2024-10").path
          #expect(try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int == 0o600)
          guard !TestBucket.holdsAllFiles else { return }
          let files = try BackupScene.files(scene.settings.dataDirectory, "files")
          #expect(files.count > 5)
          #expect(try BackupScene.files(end.dataDirectory, "files") == files)
        }
      }
    }
  }

  @Test("a restored copy accepts existing sessions and continues the numbers of rows", arguments: TestEngine.available)
  func serves(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      // Signed in before the backup.
      let signedIn = Signed()
      try await scene.serve { world in
        let mina = try await world.call(
          .POST, "users/login", .json(["email": "mina@example.com", "password": .text(World.password)]))
        await signedIn.set(try mina.json["token"]?["accessToken"]?.string ?? "")
      }
      _ = try await scene.backUp()
      let other = TestEngine.available.last { $0 != engine } ?? engine
      try await scene.elsewhere(other) { copy in
        try await scene.restore(to: copy)
        let before = try await BackupScene.rows(copy)["chats"]?.count ?? 0
        try await scene.serve(copy) { world in
          let token = await signedIn.token
          let workspace = try await world.call(.GET, "workspaces", token: token).json.list?.first?["workspace_id"]?
            .string
          let channels = try await world.call(
            .GET, "workspaces/\(workspace ?? "")/my-channels", token: token
          ).json.list
          let channel = try #require(channels?.first { $0["name"]?.string == "ios" }?["channel_id"]?.string)
          let path = "workspaces/\(workspace ?? "")/channels/\(channel)/chats"
          let chats = try #require(try await world.call(.GET, path, token: token).json.list)
          #expect(chats.compactMap { $0["content"]?.string } == BackupScene.texts + ["with files"])
          let files = chats.last?["files"]?.list?.compactMap(\.string) ?? []
          #expect(files.count == 2)
          for (file, bytes) in zip(files, [Sample.png, Sample.pdf]) {
            #expect(try await world.call(.GET, "/v1\(file)", token: token).body == bytes)
          }
          let posted = try await world.call(
            .POST, path, token: token, .multipart([.text("content", "after"), .file("files", Sample.zip)]))
          #expect(posted.status == 200)
          _ = try await world.signUp("Newcomer")
        }
        #expect(try await BackupScene.rows(copy)["chats"]?.count == before + 1)
        #expect(try await BackupScene.findings(copy) == [])
      }
    }
  }

  private actor Signed {
    var token = ""
    func set(_ token: String) { self.token = token }
  }

  @Test(
    "a backup links files of the backup before it, and the newest backups are kept", arguments: TestEngine.available)
  func incremental(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let first = try await scene.backUp()
      #expect(first.linked == 0 && first.files > 3)
      try await scene.serve { world in
        let sora = try await world.signUp("Someone")
        _ = try await sora.success(.PUT, "users/me/image", .multipart([.file("image", Sample.webp)]))
      }
      let second = try await scene.backUp()
      #expect(second.files == first.files + 1 && second.linked == first.files)
      func number(_ backup: BackupSummary, _ path: String) throws -> UInt64? {
        try FileManager.default.attributesOfItem(atPath: "\(backup.path)/files/\(path)")[.systemFileNumber] as? UInt64
      }
      for path in try BackupScene.files(URL(filePath: first.path), "files").keys {
        #expect(try number(first, path) == number(second, path))
      }
      #expect(try await scene.backupFindings(URL(filePath: first.path)) == [])
      let third = try await scene.backUp(keep: 2)
      #expect(third.removed == 1)
      let left = try FileManager.default.contentsOfDirectory(atPath: scene.backups.path).filter { $0 != ".lock" }
      #expect(left.sorted() == [second, third].map { URL(filePath: $0.path).lastPathComponent })
      #expect(try await scene.backupFindings() == [])
      #expect(try await scene.backupFindings(URL(filePath: second.path)) == [])
    }
  }

  @Test("an incomplete backup is removed by the next one and never restored")
  func partial() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let half = scene.backups.appending(path: "2099-01-01T000000.000Z.partial/tables")
      try FileManager.default.createDirectory(at: half, withIntermediateDirectories: true)
      let none = await BackupScene.refusal { try await scene.elsewhere(.sqlite) { try await scene.restore(to: $0) } }
      #expect(none.contains("has no backup"))
      let backup = try await scene.backUp()
      #expect(!FileManager.default.fileExists(atPath: half.path))
      #expect(try BackupFolder.backup(scene.backups).lastPathComponent == URL(filePath: backup.path).lastPathComponent)
    }
  }

  @Test(
    "a backup dated in the future stops the next one until it is moved, and none is removed")
  func future() async throws {
    try await BackupScene.run(.sqlite) { scene in
      let first = URL(filePath: try await scene.backUp().path)
      let future = scene.backups.appending(path: "2099-01-01T000000.000Z")
      try FileManager.default.copyItem(at: first, to: future)
      let words = await BackupScene.refusal { _ = try await scene.backUp(keep: 1) }
      #expect(words.contains("has 2099-01-01T000000.000Z"), "\(words)")
      #expect(words.contains("Correct this machine's clock; if it is right, move 2099-01-01T000000.000Z"))
      let folder = BackupFolder(url: scene.backups)
      #expect(try folder.backups().map(\.lastPathComponent) == [first, future].map(\.lastPathComponent))
      // The new backup stays, even beside one from the future.
      #expect(try folder.keep(1, with: first) == 1)
      #expect(try folder.backups().map(\.lastPathComponent) == [first.lastPathComponent])
      let second = URL(filePath: try await scene.backUp(keep: 1).path)
      #expect(try folder.backups().map(\.lastPathComponent) == [second.lastPathComponent])
    }
  }

  @Test("a directory with other contents is refused for backups and left as it is")
  func directories() async throws {
    try await BackupScene.run(.sqlite) { scene in
      func refusal(_ folder: URL) async -> String {
        await BackupScene.refusal { _ = try await scene.backUp(to: folder) }
      }
      for folder in ["data", "data/backups", "data/files/../x"] {
        #expect(await refusal(scene.folder.appending(path: folder)).contains("is in the data directory"), "\(folder)")
      }
      let link = scene.folder.appending(path: "link")
      try FileManager.default.createSymbolicLink(at: link, withDestinationURL: scene.settings.dataDirectory)
      #expect(await refusal(link.appending(path: "backups")).contains("is in the data directory"))
      let used = scene.folder.appending(path: "used")
      try FileManager.default.createDirectory(at: used, withIntermediateDirectories: true)
      try Data("mine".utf8).write(to: used.appending(path: "notes.txt"))
      #expect(await refusal(used).contains("has other files than backups (notes.txt)"))
      #expect(try FileManager.default.contentsOfDirectory(atPath: used.path) == ["notes.txt"])
      #expect(await refusal(used.appending(path: "notes.txt")).contains("notes.txt"))

      _ = try await scene.backUp()
      try await BackupScene.run(.sqlite) { other in
        let words = await BackupScene.refusal { _ = try await other.backUp(to: scene.backups) }
        #expect(words.contains("has backups of installation"))
      }
      let lock = FileLock(path: scene.backups.appending(path: ".lock").path)
      #expect(try lock.takeAlone())
      #expect(await refusal(scene.backups).contains("another backup"))
      lock.release()
      let all = try FileManager.default.contentsOfDirectory(atPath: scene.backups.path)
      #expect(all.count == 2 && !all.contains { $0.hasSuffix(".partial") })
    }
  }

  @Test("a backup is readable by its owner only and never written where other users can write")
  func ownDirectories() async throws {
    try await BackupScene.run(.sqlite) { scene in
      @Sendable func mode(_ url: URL) throws -> Int {
        try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int ?? 0o777
      }
      func refusals(_ folder: URL) async throws -> [String] {
        let words = [
          await BackupScene.refusal { _ = try await scene.backUp(to: folder) },
          await BackupScene.refusal { try await scene.export(scene.settings, to: folder) },
        ]
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
        return words
      }
      for open in [0o777, 0o1777, 0o770, 0o702] {
        let folder = scene.folder.appending(path: "open-\(open)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(chmod(folder.path, mode_t(open)) == 0)
        for words in try await refusals(folder) { #expect(words.contains("other users can write to"), "\(words)") }
      }
      if geteuid() == 0 {
        let folder = scene.folder.appending(path: "theirs")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(chown(folder.path, 65534, 65534) == 0)
        for words in try await refusals(folder) { #expect(words.contains("belongs to another user"), "\(words)") }
      }
      let (backups, export) = (scene.folder.appending(path: "own"), scene.folder.appending(path: "export"))
      for folder in [backups, export] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #expect(chmod(folder.path, 0o755) == 0)
      }
      let backup = URL(filePath: try await scene.backUp(to: backups).path)
      try await scene.export(scene.settings, to: export)
      for folder in [backup, export] {
        for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path) {
          let open = try mode(folder.appending(path: path)) & 0o077
          #expect(open == 0, "\(path)")
        }
      }
      #expect(try mode(backup) == 0o700)
      try await scene.elsewhere(.sqlite) { target in
        try await scene.restore(backup, to: target)
        #expect(try mode(target.dataDirectory) == 0o700)
      }
    }
  }

  @Test("a backup leaves out files that the database does not list", arguments: TestEngine.available)
  func foreignFiles(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      try await scene.change(scene.settings, "UPDATE installation SET value = 'other' WHERE name = 'id'")
      let words = await BackupScene.refusal { _ = try await scene.backUp() }
      #expect(words.contains("the database is of installation other, but the files are of installation"))
      #expect(try BackupFolder(url: scene.backups).backups().isEmpty)
    }
  }

  @Test(
    "a lost file is reported by the next backup and can be put back from it",
    .enabled(if: !TestBucket.holdsAllFiles, "of the directory"),
    arguments: TestEngine.available)
  func lostSince(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let first = try await scene.backUp()
      let files = scene.settings.dataDirectory.appending(path: "files")
      let all = try BackupScene.files(scene.settings.dataDirectory, "files")
      let names = try FileManager.default.contentsOfDirectory(atPath: files.appending(path: "channelChats").path)
      try FileManager.default.removeItem(at: files.appending(path: "channelChats/\(names[0])"))
      let second = try await scene.backUp()
      #expect(second.losses == ["channelChats/\(names[0]) is missing; the backup uses the copy in the previous backup"])
      #expect(second.files == first.files && second.linked == first.files)
      #expect(try await scene.backupFindings() == [])

      // All of them: the server says what to put back from where.
      try FileManager.default.removeItem(at: files)
      let words = await BackupScene.refusal { try await scene.serve { _ in } }
      #expect(words.contains("cp -a BACKUP/files/. \(files.path)/") && words.contains("madang admin check"))
      try FileManager.default.copyItem(atPath: "\(second.path)/files", toPath: files.path)
      try await scene.serve { _ in }
      #expect(try BackupScene.files(scene.settings.dataDirectory, "files") == all)
      #expect(try await BackupScene.findings(scene.settings) == [])
    }
  }

  @Test(
    "a server refuses to start without its database, which a backup restores beside the files",
    arguments: TestEngine.available)
  func lostDatabase(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      _ = try await scene.backUp()
      let rows = try await BackupScene.rows(scene.settings)
      try await scene.elsewhere(engine) { empty in
        var settings = scene.settings
        settings.database.url = empty.database.url
        if engine == .sqlite {
          try FileManager.default.removeItem(at: settings.dataDirectory.appending(path: "madang.sqlite"))
        }
        let words = await BackupScene.refusal { [settings] in try await scene.serve(settings) { _ in } }
        #expect(words.contains("madang admin import BACKUP"))
        try await scene.load(scene.backups, into: settings)
        #expect(try await BackupScene.rows(settings) == rows)
        try await scene.serve(settings) { _ in }
        #expect(try await BackupScene.findings(settings) == [])
      }
    }
  }

  @Test(
    "a backup reports a lost file and backs up the rest",
    .enabled(if: !TestBucket.holdsAllFiles, "of the directory"),
    arguments: TestEngine.available)
  func losses(_ engine: TestEngine) async throws {
    try await BackupScene.run(engine) { scene in
      let files = scene.settings.dataDirectory.appending(path: "files")
      let paths = try FileManager.default.contentsOfDirectory(atPath: files.appending(path: "channelChats").path)
        .sorted()
      try FileManager.default.removeItem(at: files.appending(path: "channelChats/\(paths[0])"))
      try Data("damaged".utf8).write(to: files.appending(path: "channelChats/\(paths[1])"))
      let backup = try await scene.backUp()
      #expect(
        backup.losses.sorted() == ["channelChats/\(paths[0]) is missing", "channelChats/\(paths[1]) is damaged"])
      #expect(try await scene.backupFindings() == [])
      try await scene.elsewhere(engine) { copy in
        let restored = try await scene.restore(to: copy)
        #expect(restored.files == backup.files)
        let found = try await BackupScene.findings(copy)
        #expect(found == paths.map { "file channelChats/\($0): is missing" })
      }
    }
  }
}
