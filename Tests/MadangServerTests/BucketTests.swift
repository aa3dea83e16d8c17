import Foundation
import Logging
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

/// On a real server that speaks S3: `Scripts/with-s3`.
@Suite("Files in a bucket", .enabled(if: TestBucket.isThere, "needs Scripts/with-s3"))
struct BucketTests {
  static let png = Sample.png

  @Test(
    "files of chats and pictures are stored in the bucket and served from it, whole or in ranges",
    arguments: TestEngine.available
  )
  func files(_ engine: TestEngine) async throws {
    try await World.run(engine, settings: Self.settings) { (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      // More than is sent in one call, and no multiple of anything.
      let large = Self.png + (0..<(9 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 11) }
      let body = World.Body.multipart([.file("files", large), .file("files", Sample.pdf)])
      let paths = try await a.success(.POST, "\(channel)/chats", body)["files"]?.list?.compactMap(\.string) ?? []
      #expect(try await world.files(in: "channelChats").count == 2)
      #expect(try await world.hasNoFiles(in: "uploads"))
      #expect(!FileManager.default.fileExists(atPath: world.data.appending(path: "files/channelChats").path))

      let path = "/v1\(try #require(paths.first))"
      let whole = try await a.call(.GET, path)
      #expect(whole.status == 200 && whole.body == large)
      #expect(whole.headers["content-length"] == ["\(large.count)"] && whole.headers["content-type"] == ["image/png"])
      let middle = try await a.call(.GET, path, headers: [("Range", "bytes=1000000-8999999")])
      #expect(middle.status == 206 && middle.body == Array(large[1_000_000..<9_000_000]))
      #expect(try await a.call(.GET, path, headers: [("Range", "bytes=-5")]).body == large.suffix(5))
      #expect(try await a.call(.GET, "/v1\(try #require(paths.last))").body == Sample.pdf)
      #expect(
        try await a.call(.GET, "/v1/static/workspaceCoverImages/default.png").body == FileStore.defaultPictureBytes)
      #expect(try await World.eventually { try await world.call(.GET, "/readyz", key: nil).status == 200 })
    }
  }

  @Test(
    "files without a row go to the bucket's trash page by page and are deleted days later",
    arguments: TestEngine.available)
  func trash(_ engine: TestEngine) async throws {
    var settings = Self.settings
    settings.domain.filePage = 2
    settings.domain.files.trashDays = 1
    settings.sessions.accessLifetime = 7 * 86_400_000
    try await World.run(engine, settings: settings) { [settings] (world) async throws in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let body = World.Body.multipart((0..<5).map { _ in .file("files", Self.png) })
      let paths = try await a.success(.POST, "\(channel)/chats", body)["files"]?.list?.compactMap(\.string) ?? []
      let client = try Self.client(settings)
      let prefix = try #require(BucketName(settings.filesHome)).prefix
      // Names that need care in queries and answers.
      let orphans = ["profiles/a b+c&d<é>.png"] + (0..<4).map { "profiles/orphan\($0).png" }
      for orphan in orphans { try await client.put(Self.png, type: "image/png", as: prefix + orphan) }

      let madang = world.server.madang
      try await madang.sweepFiles(olderThan: 3_600_000)
      #expect(try await world.files(in: "profiles").count == 5, "their requests may still be running")
      try await madang.sweepFiles(olderThan: -60_000)
      #expect(try await world.hasNoFiles(in: "profiles"))
      #expect(try await world.files(in: "channelChats").count == 5)
      let day = Date(timeIntervalSince1970: Double(world.clock.now) / 1000).formatted(.iso8601.year().month().day())
      #expect(try await Self.keys(client, prefix + "trash/") == orphans.map { "\(prefix)trash/\(day)/\($0)" }.sorted())
      world.clock.advance(milliseconds: 86_400_000)
      try await madang.sweepFiles(olderThan: -60_000)
      #expect(try await Self.keys(client, prefix + "trash/").count == 5)
      world.clock.advance(milliseconds: 86_400_000)
      try await madang.sweepFiles(olderThan: -60_000)
      #expect(try await Self.keys(client, prefix + "trash/") == [])
      #expect(try await a.call(.GET, "/v1\(paths[4])").body == Self.png)
    }
  }

  @Test("a file that is moved back from the trash can be downloaded again", arguments: TestEngine.available)
  func restore(_ engine: TestEngine) async throws {
    let settings = Self.settings
    try await World.run(engine, settings: settings) { (world) async throws in
      let client = try Self.client(settings)
      let prefix = try #require(BucketName(settings.filesHome)).prefix
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      let body = World.Body.multipart([.file("files", Self.png)])
      let path = try #require(try await a.success(.POST, "\(channel)/chats", body)["files"]?.list?.first?.string)
      let stored = String(path.dropFirst("/static/".count))
      try await world.server.madang.files.home.moveToTrash([stored, "profiles/never-there.png"], day: "2026-11-23")
      #expect(try await a.call(.GET, "/v1\(path)").code == "E99")
      try await client.copy("\(prefix)trash/2026-11-23/\(stored)", to: prefix + stored)
      #expect(try await a.call(.GET, "/v1\(path)").body == Self.png)
    }
  }

  @Test("a server on another database than the bucket's does not start")
  func installation() async throws { try await Self.holdTogether(Self.settings) }

  /// Starts servers on the same empty bucket with databases that are its own or not.
  static func holdTogether(_ settings: ServerSettings) async throws {
    let root = FileManager.default.temporaryDirectory.appending(path: "madang-bucket-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let client = try client(settings)
    let prefix = try #require(BucketName(settings.filesHome)).prefix
    let id = "\(prefix)installation"
    func serve(_ name: String, _ body: @Sendable (World) async throws -> Void = { _ in }) async throws {
      var settings = settings
      settings.dataDirectory = root.appending(path: name)
      try await World.run(settings, body)
    }

    try await client.put([0], type: "text/plain", as: "\(prefix)profiles/.hidden")
    #expect(try await client.get(id) == nil)
    try await serve("ours") { world in
      let a = try await world.signUp("Mina")
      let channel = try await a.channel("ios", in: try await a.workspace())
      _ = try await a.success(.POST, "\(channel)/chats", .multipart([.file("files", png)]))
      let madang = world.server.madang
      try await madang.sweepFiles(olderThan: -1000 * 86_400_000)
    }
    let written = try #require(try await client.get(id))
    #expect(String(decoding: written, as: UTF8.self).dropLast().count == 36)
    try await serve("ours")
    let error = await #expect(throws: SetupError.self) { try await serve("other") }
    #expect(error?.description.contains("no upload was touched") == true)
    #expect(error?.description.contains("--files (\(settings.filesHome)) and madang.sqlite in --data") == true)
    try await client.delete(id)
    await #expect(throws: SetupError.self) { try await serve("unmarked") }
    #expect(try await client.get(id) == nil)
    try await serve("ours")
    #expect(try await client.get(id) == written)

    let chats = try await keys(client, "\(prefix)channelChats/")
    #expect(chats.count == 1)
    for key in chats + [id] { try await client.delete(key) }
    await #expect(throws: SetupError.self) { try await serve("ours") }
    try await client.put(written, type: "text/plain", as: id)
    try await serve("ours")
  }

  @Test("a server without access to the bucket does not start and names the cure")
  func access() async throws {
    var cases: [(String, ServerSettings)] = []
    var settings = Self.settings
    settings.s3.secretAccessKey += "x"
    cases.append(("check s3.access.key.id, s3.secret.access.key", settings))
    settings = Self.settings
    settings.filesHome = "s3://madang-no-such-bucket"
    cases.append(("create the bucket", settings))
    settings = Self.settings
    settings.s3.endpoint = "http://127.0.0.1:1"
    cases.append(("check s3.endpoint", settings))
    for (words, settings) in cases {
      let error = try await Self.mistake(settings)
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
      #expect(error?.description.contains(Self.settings.s3.secretAccessKey) == false)
    }
  }

  /// What a server with these settings does not start for.
  private static func mistake(_ settings: ServerSettings) async throws -> SetupError? {
    var settings = settings
    settings.dataDirectory = FileManager.default.temporaryDirectory.appending(
      path: "madang-bucket-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
    do {
      _ = try await buildServer(settings, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
      return nil
    } catch let error as SetupError { return error }
  }

  private static var settings: ServerSettings {
    var settings = World.settings
    settings.keepFilesInTestBucket()
    return settings
  }

  private static func client(_ settings: ServerSettings) throws -> S3Client {
    S3Client(bucket: try #require(BucketName(settings.filesHome)).bucket, settings.s3)
  }

  private static func keys(_ client: S3Client, _ prefix: String) async throws -> [String] {
    try await client.list(prefix, isDeep: true, after: nil, limit: 1000).objects.map(\.key)
  }
}
