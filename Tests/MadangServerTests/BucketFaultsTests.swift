import Foundation
import MadangAPI
import NIOHTTP1
import Storage
import Support
import Synchronization
import Testing

@testable import MadangCore
@testable import MadangOperations
@testable import MadangProviders
@testable import MadangServer

@Suite("Faults of a bucket", .timeLimit(.minutes(5)))
struct BucketFaultsTests {
  @Test(
    "an endpoint may have a path, with a slash at its end or without",
    arguments: ["", "/", "/storage/v1/s3", "/storage/v1/s3/"])
  func endpointPath(_ path: String) async throws {
    try await FakeBucket.run(at: path) { bucket, settings in
      #expect(settings.problems().isEmpty)
      try await World.run(.sqlite, settings: settings) { (world) async throws in
        let yard = try await world.courtyard()
        let channel = try await yard.a.channel("ios", in: yard.w)
        let chat = try await yard.a.success(.POST, "\(channel)/chats", .multipart([.file("files", Sample.png)]))
        let stored = try #require(chat["files"]?[0]?.string)
        #expect(try await yard.a.call(.GET, "/v1\(stored)").body == Sample.png)
        #expect(bucket.keys.contains(String(stored.dropFirst("/static/".count))))
      }
    }
    var settings = World.settings
    (settings.filesHome, settings.s3.accessKeyID, settings.s3.secretAccessKey) = ("s3://bucket", "key", "secret")
    for wrong in [
      "ftp://x", "https://x?a=b", "https://x/a/../b", "https://u@x/s3", "s3.example.com/s3", "https://x/#a",
    ] {
      settings.s3.endpoint = wrong
      #expect(settings.problems().contains { $0.contains("s3.endpoint") }, "\(wrong)")
    }
  }

  /// A signed-in person's channel, on a server whose files are in a bucket that can be made to fail.
  private static func run(
    _ engine: TestEngine = .sqlite, downloads: Int = 10,
    _ body: @escaping @Sendable (World, TestPerson, _ channel: String, FakeBucket) async throws -> Void
  ) async throws {
    try await FakeBucket.run { bucket, settings in
      var settings = settings
      settings.limits.downloads = LedgerLimit(perAddress: downloads, total: 10)
      try await World.run(engine, settings: settings) { (world) async throws in
        let a = try await world.signUp("Mina")
        try await body(world, a, try await a.channel("ios", in: try await a.workspace()), bucket)
      }
    }
  }

  private static let post = World.Body.multipart([
    .text("content", "look"), .file("files", Sample.png), .file("files", Sample.pdf),
  ])

  private static func rows(_ world: World, of table: String) async throws -> Int? {
    try await world.server.madang.database.read {
      try $0.first("SELECT COUNT(*) AS rows FROM \(raw: table)") { try $0.get("rows") }
    }
  }

  @Test(
    "while the bucket is unreachable, uploads are E99 and leave nothing; afterwards they succeed",
    arguments: TestEngine.available)
  func away(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (world, a, channel, bucket) async throws in
      let before = bucket.keys
      for conduct in [FakeBucket.Conduct.refusing(503, code: "SlowDown"), .refusing(403, code: "AccessDenied")] {
        bucket.behave { _ in conduct }
        #expect(try await a.call(.POST, "\(channel)/chats", Self.post).code == "E99")
        #expect(try await world.call(.GET, "/livez", key: nil).status == 200)
      }
      #expect(bucket.keys == before)
      #expect(try await world.hasNoFiles(in: "uploads"))
      for table in ["chats", "files"] { #expect(try await Self.rows(world, of: table) == 0) }
      bucket.behave { _ in .good }
      let chat = try await a.success(.POST, "\(channel)/chats", Self.post)
      #expect(chat["files"]?.list?.count == 2 && bucket.keys.count == before.count + 2)
    }
  }

  @Test("if a chat's second file fails, its first is removed")
  func half() async throws {
    try await Self.run { (world, a, channel, bucket) async throws in
      let before = bucket.keys
      bucket.behave { $0.hasPrefix("PUT") && $0.hasSuffix(".pdf") ? .refusing(500, code: "InternalError") : .good }
      #expect(try await a.call(.POST, "\(channel)/chats", Self.post).code == "E99")
      #expect(bucket.keys == before)
    }
  }

  @Test("a call to the bucket is repeated after one temporary refusal")
  func passing() async throws {
    try await Self.run { (_, a, channel, bucket) async throws in
      let seen = Mutex<Set<String>>([])
      bucket.behave { call in seen.withLock { $0.insert(call).inserted } ? .refusing(503, code: "SlowDown") : .good }
      let chat = try await a.success(.POST, "\(channel)/chats", Self.post)
      let path = try #require(chat["files"]?.list?.first?.string)
      #expect(try await a.call(.GET, "/v1\(path)").body == Sample.png)
    }
  }

  @Test("a stored file whose answer was lost goes to the trash", arguments: TestEngine.available)
  func lostAnswers(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (world, a, channel, bucket) async throws in
      let before = bucket.keys
      bucket.behave { $0.hasPrefix("PUT") ? .losingAnswers : .refusing(503, code: "SlowDown") }
      #expect(try await a.call(.POST, "\(channel)/chats", Self.post).code == "E99")
      #expect(try await Self.rows(world, of: "files") == 0)
      #expect(bucket.keys.count == before.count + 1)
      bucket.behave { _ in .good }
      try await world.server.madang.sweepFiles(olderThan: -1000 * 86_400_000)
      let swept = bucket.keys.filter { !before.contains($0) }
      #expect(swept.count == 1 && swept.allSatisfy { $0.hasPrefix("trash/") && $0.contains("/channelChats/") })
    }
  }

  @Test("a download whose connection to the bucket breaks continues where it was")
  func broken() async throws {
    try await Self.run { (_, a, channel, bucket) async throws in
      let chat = try await a.success(.POST, "\(channel)/chats", Self.post)
      let path = try #require(chat["files"]?.list?.first?.string)
      bucket.behave { _ in .breaking(after: 100) }
      let answer = try await a.call(.GET, "/v1\(path)")
      #expect(answer.status == 200 && answer.body == Sample.png)
      #expect(bucket.calls.filter { $0.hasPrefix("GET /bucket/channelChats/") }.count == 6)
      let part = try await a.call(.GET, "/v1\(path)", headers: [("Range", "bytes=50-249")])
      #expect(part.body == Array(Sample.png[50..<250]))
    }
  }

  @Test("a download from an unreachable bucket is E99, and one that keeps breaking is cut off")
  func downloads() async throws {
    try await Self.run { (_, a, channel, bucket) async throws in
      let chat = try await a.success(.POST, "\(channel)/chats", Self.post)
      let path = try #require(chat["files"]?.list?.first?.string)
      bucket.behave { _ in .refusing(503, code: "SlowDown") }
      #expect(try await a.call(.GET, "/v1\(path)").code == "E99")
      bucket.behave { _ in .refusing(404, code: "NoSuchKey") }
      #expect(try await a.call(.GET, "/v1\(path)").code == "E99")
      let calls = Mutex(0)
      bucket.behave { _ in
        calls.withLock {
          $0 += 1
          return $0
        } == 1 ? .breaking(after: 100) : .refusing(503, code: "SlowDown")
      }
      await #expect(throws: (any Error).self) { try await a.call(.GET, "/v1\(path)") }
    }
  }

  @Test("downloads of one address at a time are limited", arguments: [0, 1])
  func many(_ limit: Int) async throws {
    try await Self.run(downloads: limit) { (_, a, channel, _) async throws in
      let chat = try await a.success(.POST, "\(channel)/chats", Self.post)
      let path = try #require(chat["files"]?.list?.first?.string)
      for _ in 0..<3 {
        if limit == 0 { #expect(try await a.call(.GET, "/v1\(path)").code == "E98") }
        // A place is given back a moment after the last byte.
        if limit == 1 {
          #expect(try await World.eventually { try await a.call(.GET, "/v1\(path)").body == Sample.png })
        }
      }
    }
  }

  @Test("files of a deleted room wait for removal until the bucket is back", arguments: TestEngine.available)
  func deleted(_ engine: TestEngine) async throws {
    try await Self.run(engine) { (world, a, channel, bucket) async throws in
      let before = bucket.keys
      _ = try await a.success(.POST, "\(channel)/chats", Self.post)
      bucket.behave { _ in .refusing(503, code: "SlowDown") }
      _ = try await a.success(.DELETE, channel)
      #expect(try await World.eventually { try await Self.rows(world, of: "file_removals") == 2 })
      await #expect(throws: (any Error).self) { try await world.server.madang.removeRetiredFiles() }
      #expect(try await Self.rows(world, of: "file_removals") == 2)
      bucket.behave { _ in .good }
      try await world.server.madang.sweepFiles(olderThan: -1000 * 86_400_000)
      // The server may be removing them already.
      #expect(!bucket.keys.contains { $0.hasPrefix("trash/") }, "they are not the trash's")
      try await world.server.madang.removeRetiredFiles()
      #expect(try await Self.rows(world, of: "file_removals") == 0)
      #expect(bucket.keys == before)
    }
  }

  @Test("a server stays ready while the bucket is unreachable, and posts chats without files")
  func readiness() async throws {
    try await Self.run { (world, a, channel, bucket) async throws in
      bucket.behave { _ in .refusing(503, code: "SlowDown") }
      let before = bucket.calls.count
      #expect(try await World.eventually { try await world.call(.GET, "/readyz", key: nil).status == 200 })
      #expect(bucket.calls.count == before)
      _ = try await a.say("still here", in: channel)
    }
  }

  @Test("if the sender disconnects during the upload, nothing is posted and no file stays")
  func gone() async throws {
    try await Self.run { (world, a, channel, bucket) async throws in
      let before = bucket.keys
      let (asked, gate) = (AsyncStream<Void>.makeStream(), AsyncStream<Void>.makeStream())
      bucket.behave { call in
        guard call.hasPrefix("PUT") else { return .good }
        return .waiting {
          asked.continuation.yield()
          for await _ in gate.stream { return }
        }
      }
      let boundary = "b"
      let body = """
        --\(boundary)\r\nContent-Disposition: form-data; name="content"\r\n\r\nlate\r\n\
        --\(boundary)\r\nContent-Disposition: form-data; name="files"; filename="a.pdf"\r\n\
        Content-Type: application/pdf\r\n\r\n%PDF-1.4 a\r\n--\(boundary)--\r\n
        """
      let head = """
        POST /v1/\(channel)/chats HTTP/1.1\r\nHost: localhost\r\nSesacKey: \(a.edition.developmentKey)\r\n\
        Authorization: \(a.token)\r\nContent-Type: multipart/form-data; boundary=\(boundary)\r\n\
        Content-Length: \(body.utf8.count)\r\n\r\n
        """
      _ = try await world.exchange(Array((head + body).utf8), leavesAtOnce: true)
      for await _ in asked.stream { break }
      // Connections go to loops in turn, and a loop reads the end of the former one before it answers these.
      let look = "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
      for _ in 0..<16 { _ = try await world.exchange(Array(look.utf8)) }
      gate.continuation.finish()
      #expect(
        try await World.eventually { bucket.calls.contains { $0.hasPrefix("DELETE") } && bucket.keys == before },
        "\(bucket.calls)")
      #expect(try await Self.rows(world, of: "chats") == 0)
    }
  }

  @Test(
    "an answer with another range than requested is not sent to the client",
    arguments: [
      FakeBucket.Conduct.answering(200, "<html>Sign in</html>"), .answering(206, "words"),
      .answering(206, "words", contentRange: "bytes 1-5/10"), .answering(206, "words", contentRange: "bytes 0-4/5"),
    ])
  func wrongRange(_ conduct: FakeBucket.Conduct) async throws {
    try await Self.run { (_, a, channel, bucket) async throws in
      let chat = try await a.success(.POST, "\(channel)/chats", Self.post)
      let path = try #require(chat["files"]?.list?.first?.string)
      bucket.behave { _ in conduct }
      #expect(try await a.call(.GET, "/v1\(path)").code == "E99")
      #expect(try await a.call(.GET, "/v1\(path)", headers: [("Range", "bytes=50-249")]).code == "E99")
    }
  }

  @Test("a large file is fetched from the bucket in pieces")
  func windows() async throws {
    try await FakeBucket.run { bucket, settings in
      let client = S3Client(bucket: "bucket", settings.s3)
      let bytes = (0..<(2 * BucketPieces.windowSize + 10)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      try await client.put(bytes, type: "image/png", as: "a")
      var pieces = try await BucketPieces(of: "a", range: 5...bytes.count - 2, client: client).makeAsyncIterator()
      var read = try await pieces.next() ?? []
      #expect(bucket.calls.filter { $0.hasPrefix("GET") }.count == 1)
      while let piece = try await pieces.next() { read += piece }
      #expect(read == Array(bytes[5...bytes.count - 2]))
      #expect(bucket.calls.filter { $0.hasPrefix("GET") }.count == 3)
    }
  }

  @Test("a call whose 200 answer contains a temporary error is retried; an error is described in one line")
  func errorWithinSuccess() async throws {
    try await FakeBucket.run { bucket, settings in
      let client = S3Client(bucket: "bucket", settings.s3)
      bucket.behave { _ in .answering(200, "<Error><Code>InternalError</Code></Error>") }
      await #expect(throws: S3Error.self) { try await client.copy("a", to: "b") }
      #expect(bucket.calls.count == client.patience.attempts)
      let code = "<Code>A\nB\u{1B}[31m</Code>"
      let message = "<Message>\(String(repeating: "m", count: 9999))</Message>"
      bucket.behave { _ in .answering(403, "<Error>\(code)\(message)</Error>") }
      let error = await #expect(throws: S3Error.self) { try await client.delete("a") }
      let text = try #require(error).description
      #expect(text.utf8.allSatisfy { $0 >= 0x20 } && text.utf8.count < 500)
    }
  }

  @Test("a list whose next page is itself ends")
  func circle() async throws {
    try await FakeBucket.run { bucket, settings in
      let client = S3Client(bucket: "bucket", settings.s3)
      let next = "<NextContinuationToken>t</NextContinuationToken>"
      bucket.behave { _ in
        .answering(200, "<ListBucketResult><IsTruncated>true</IsTruncated>\(next)</ListBucketResult>")
      }
      let page = try await client.list("", isDeep: true, after: nil, limit: 10)
      #expect(page.next == "t")
      await #expect(throws: S3Error.self) { try await client.list("", isDeep: true, after: "t", limit: 10) }
    }
  }

  @Test("an endpoint may be an address of IPv6")
  func addressOfIPv6() {
    var settings = S3Settings()
    settings.endpoint = "http://[::1]:9000"
    let server = S3Server(bucket: "bucket", settings)
    #expect(server.origin == "http://[::1]:9000" && server.host == "[::1]:9000")
  }

  @Test("a server that cannot read the bucket's installation id does not start and says why")
  func installation() async throws {
    try await FakeBucket.run { _, settings in try await BucketTests.holdTogether(settings) }
    try await FakeBucket.run { bucket, settings in
      bucket.behave { $0 == "GET /bucket/installation" ? .refusing(403, code: "AccessDenied") : .good }
      let error = await #expect(throws: SetupError.self) { try await World.run(.sqlite, settings: settings) { _ in } }
      #expect(error?.description.contains("AccessDenied") == true)
      #expect(!bucket.keys.contains("installation"))
    }
  }

  @Test("a call to a silent bucket server ends in time")
  func silence() async throws {
    try await FakeBucket.run { bucket, settings in
      bucket.behave { _ in .silent }
      let client = S3Client(bucket: "bucket", settings.s3, patience: .init(total: .milliseconds(200)))
      for key in ["", "a"] {
        let began = ContinuousClock.now
        let error = await #expect(throws: S3Error.self) { try await client.delete(key) }
        #expect(error?.isPassing == true && ContinuousClock.now - began < .seconds(60))
      }
      await #expect(throws: S3Error.self) { try await client.open(.init(method: .GET, key: "a")) }
    }
  }

  @Test("an unreachable bucket server is given up in time and told apart from a refusing one")
  func nobody() async throws {
    var settings = S3Settings()
    settings.endpoint = "http://127.0.0.1:1"
    let patience = S3Client.Patience(attempts: 3, total: .seconds(20), firstDelay: .milliseconds(1))
    let client = S3Client(bucket: "bucket", settings, patience: patience)
    let error = await #expect(throws: S3Error.self) { try await client.delete("a") }
    #expect(error?.isPassing == true && error?.code == nil)
  }
}
