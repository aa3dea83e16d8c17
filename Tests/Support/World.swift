import AsyncHTTPClient
import Foundation
import Logging
import MadangAPI
import MadangCore
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOCore
import NIOHTTP1
import Storage
import Synchronization
import Testing

/// A server with an empty database on a free port, for one test.
package struct World: Sendable {
  package let url: String
  package let server: MadangServer
  package let clock: Clock
  package let data: URL
  private let isInBucket: Bool

  /// The same server, called through another of its listeners.
  package func at(port: Int) -> World {
    World(url: "http://127.0.0.1:\(port)", server: server, clock: clock, data: data, isInBucket: isInBucket)
  }

  /// Starts a server, runs `body` and stops the server in any case.
  ///
  /// - Parameters:
  ///   - clock: Time stands still unless a test moves it, so that windows and lifetimes do not depend on the machine's load.
  ///   - kit: Makes the kit that stands around the server, from its clock.
  package static func run(
    _ engine: TestEngine, settings: ServerSettings = settings, clock: Clock = stoppedClock, logger: Logger? = nil,
    kit: @escaping @Sendable (Clock) -> TestKit = { TestKit(clock: $0, annex: nil) },
    _ body: @escaping @Sendable (World) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var settings = settings
      let data = FileManager.default.temporaryDirectory.appending(path: "madang-world-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: data) }
      settings.dataDirectory = data
      if case .postgres(let url) = place { settings.database.url = url }
      if TestBucket.holdsAllFiles && settings.filesHome.isEmpty { settings.keepFilesInTestBucket() }
      try await run(settings, clock: clock, logger: logger, kit: kit, body)
    }
  }

  /// Two servers on one database and one data directory.
  package static func pair(
    _ engine: TestEngine, settings: ServerSettings = settings,
    kit: @escaping @Sendable (Clock) -> TestKit = { TestKit(clock: $0, annex: nil) },
    _ body: @escaping @Sendable (World, World) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var settings = settings
      settings.dataDirectory = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
      defer { try? FileManager.default.removeItem(at: settings.dataDirectory) }
      if case .postgres(let url) = place { settings.database.url = url }
      if TestBucket.holdsAllFiles && settings.filesHome.isEmpty { settings.keepFilesInTestBucket() }
      try await run(settings, kit: kit) { [settings] first in
        try await run(settings, kit: kit) { second in try await body(first, second) }
      }
    }
  }

  package static var stoppedClock: Clock {
    let start = Clock.systemTime()
    return Clock({ start }, steady: { start })
  }

  /// Settings that suit tests: development mode, short waits, cheap passwords.
  package static var settings: ServerSettings {
    var settings = ServerSettings()
    settings.port = 0
    settings.isDevelopment = true
    settings.database.readers = 2
    (settings.database.waitLimit, settings.database.connectTimeout) = (longWait, longWait)
    settings.sockets.hold = .milliseconds(300)
    settings.deletionGrace = .zero
    settings.domain.passwords.cost = PasswordCost(memory: 8, passes: 1)
    return settings
  }

  /// The default test settings with one of them changed.
  package static func settings<Value>(
    _ setting: WritableKeyPath<ServerSettings, Value>, _ value: Value
  ) -> ServerSettings {
    var settings = settings
    settings[keyPath: setting] = value
    return settings
  }

  /// Runs a server on the data that the settings name, which is kept.
  package static func run(
    _ settings: ServerSettings, clock: Clock = stoppedClock, logger: Logger? = nil,
    kit: @Sendable (Clock) -> TestKit = { TestKit(clock: $0, annex: nil) },
    _ body: @Sendable (World) async throws -> Void
  ) async throws {
    var quiet = Logger(label: "test")
    quiet.logLevel = .error
    let kit = kit(clock)
    let server = try await kit.makeServer(settings, logger: logger ?? quiet)
    let running = Task { try await server.run() }
    let result: Result<Void, any Error>
    do {
      let port = try await server.port
      let world = World(
        url: "http://127.0.0.1:\(port)", server: server, clock: clock, data: settings.dataDirectory,
        isInBucket: !settings.filesHome.isEmpty)
      do {
        try await body(world)
        result = .success(())
      } catch {
        result = .failure(error)
      }
      await world.keepCoverage()
    } catch {
      result = .failure(error)
    }
    running.cancel()
    _ = await running.result
    kit.serverHasEnded()
    try result.get()
  }

  /// If `MADANG_TEST_COVERAGE` is set, writes the covered parts of the contract into a file of that directory, for `madang dev coverage`. A
  /// server that does not answer is left out.
  private func keepCoverage() async {
    guard let directory = ProcessInfo.processInfo.environment["MADANG_TEST_COVERAGE"],
      let answer = try? await call(.GET, "/_dev/coverage", key: nil), answer.status == 200
    else { return }
    let folder = URL(filePath: directory, directoryHint: .isDirectory)
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try? Data(answer.body).write(to: folder.appending(path: "\(UUID().uuidString).json"))
  }

  package struct Answer: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    package let body: [UInt8]

    package var json: JSON { get throws { try JSON(body) } }
    /// The cookie that a client's cookie store sends with its sockets after this answer.
    package var cookie: String? {
      headers.first(name: "Set-Cookie").map { String($0.prefix { $0 != ";" }) }
    }
    /// The error code of a refusal, or nil. A refusal has status 400 or 500 and exactly one key.
    package var code: String? {
      guard status == 400 || status == 500, let json = try? json, json.keys == ["errorCode"] else { return nil }
      return json["errorCode"]?.string
    }
  }

  package enum Body: Sendable {
    case none
    case json(JSON)
    case raw(String, type: String?)
    case bytes([UInt8], type: String?)
    case form(String)
    case multipart([Part])
  }

  package struct Part: Sendable {
    let head: String
    let bytes: [UInt8]

    package static func text(_ name: String, _ text: String, extra: String = "") -> Part {
      Part(head: "Content-Disposition: form-data; name=\"\(name)\"\(extra)", bytes: Array(text.utf8))
    }

    package static func file(
      _ name: String, _ bytes: [UInt8], filename: String = "a b:c.jpg", type: String = "image/jpg"
    )
      -> Part
    {
      Part(
        head: "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(filename)\"\r\nContent-Type: \(type)",
        bytes: bytes)
    }
  }

  /// The names of stored files in a folder, in the storage that is used; for other folders, the names in the directory.
  package func files(in folder: String) async throws -> [String] {
    guard isInBucket, let folder = FileFolder(rawValue: folder) else {
      return try FileManager.default.contentsOfDirectory(atPath: data.appending(path: "files/\(folder)").path)
    }
    let names = Mutex(folder.hasDefaultPicture ? [FileStore.defaultPicture] : [])
    try await server.madang.files.home.forEachPage(of: folder, changedBefore: .distantFuture, page: 1000) { paths in
      names.withLock { $0 += paths.map { String($0.drop { $0 != "/" }.dropFirst()) } }
    }
    return names.withLock(\.self)
  }

  /// Waits until the addresses of this many accounts are noted, which is after their calls. Sockets without credentials need it.
  package func notesAddresses(of count: Int) async throws {
    let areNoted = try await Self.eventually {
      let noted = try await server.madang.database.read { transaction in
        try transaction.first("SELECT COUNT(*) AS number FROM recent_addresses") { try $0.get("number", as: Int.self) }
      }
      return noted ?? 0 >= count
    }
    try #require(areNoted)
  }

  /// Whether no file is stored in any of the folders.
  package func hasNoFiles(in folders: String...) async throws -> Bool {
    for folder in folders where try await !files(in: folder).isEmpty { return false }
    return true
  }

  /// Makes a call like clients do: with the API key, and with the raw token if there is one.
  package func call(
    _ method: HTTPMethod, _ path: String, token: String? = nil, key: String? = DevelopmentKey.october2024,
    headers: [(String, String)] = [], _ body: Body = .none
  ) async throws -> Answer {
    var request = HTTPClientRequest(url: url + (path.hasPrefix("/") ? path : "/v1/" + path))
    request.method = method
    if let key { request.headers.add(name: HeaderName.apiKey, value: key) }
    if let token { request.headers.add(name: HeaderName.authorization, value: token) }
    for (name, value) in headers { request.headers.add(name: name, value: value) }
    switch body {
    case .none: break
    case .json(let json):
      request.headers.add(name: "Content-Type", value: "application/json")
      request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(json)))
    case .raw(let text, let type):
      if let type { request.headers.add(name: "Content-Type", value: type) }
      request.body = .bytes(ByteBuffer(string: text))
    case .bytes(let bytes, let type):
      if let type { request.headers.add(name: "Content-Type", value: type) }
      request.body = .bytes(ByteBuffer(bytes: bytes))
    case .form(let text):
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      request.body = .bytes(ByteBuffer(string: text))
    case .multipart(let parts):
      request.headers.add(name: "Content-Type", value: "multipart/form-data;boundary=Boundary-7A")
      var bytes: [UInt8] = []
      for part in parts {
        bytes += Array("--Boundary-7A\r\n\(part.head)\r\n\r\n".utf8) + part.bytes + Array("\r\n".utf8)
      }
      request.body = .bytes(ByteBuffer(bytes: bytes + Array("--Boundary-7A--\r\n".utf8)))
    }
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(90))
    let buffer = try await response.body.collect(upTo: 1 << 28)
    let answer = Answer(
      status: Int(response.status.code), headers: response.headers, body: Array(buffer.readableBytesView))
    Self.check(answer, to: method, request.url.dropFirst(url.count), key: key)
    return answer
  }

  /// Checks every answer of the API in any test against the edition's OpenAPI document.
  private static func check(_ answer: Answer, to method: HTTPMethod, _ path: Substring, key: String?) {
    guard let version = path.split(separator: "/").first, version.hasPrefix("v1") || version.hasPrefix("v2") else {
      return
    }
    let problems: [String]
    if let edition = EditionName.allCases.first(where: { $0.developmentKey == key }) {
      problems = APIDescription.of(edition).problems(of: answer, to: method, String(path))
    } else if key == nil, method == .OPTIONS, answer.status == 204 {
      // A browser's question, before a page calls.
      problems = []
    } else if key == nil {
      problems = answer.code == ErrorCode.badKey.rawValue ? [] : ["without a key, but not E01"]
    } else {
      // The test uses a key of its own.
      return
    }
    for problem in problems {
      Issue.record(
        "\(method) \(path): \(problem)\n\(answer.status) \(String(decoding: answer.body.prefix(2000), as: UTF8.self))")
    }
  }
}

extension Administrator {
  /// The administrator in tests.
  package static let hana = Administrator(name: "hana", address: "198.51.100.7")
}
