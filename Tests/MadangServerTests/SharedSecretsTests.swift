import Crypto
import Foundation
import Logging
import MadangAPI
import MadangCore
import NIOHTTP1
import Storage
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Secrets shared by servers", .timeLimit(.minutes(5)))
struct SharedSecretsTests {
  /// Runs `body` with as many settings as wanted, each with a data directory of its own but for the files, on one empty
  /// database.
  private static func places(
    _ engine: TestEngine, _ count: Int, _ body: @escaping @Sendable ([ServerSettings]) async throws -> Void
  ) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withEngine(engine) { place in
      let files = folder.appending(path: "files")
      try FileManager.default.createDirectory(at: files, withIntermediateDirectories: true)
      let all = try (0..<count).map { number in
        var settings = World.settings
        settings.dataDirectory = folder.appending(path: "\(number)")
        try FileManager.default.createDirectory(at: settings.dataDirectory, withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
          at: settings.dataDirectory.appending(path: "files"), withDestinationURL: files)
        if case .postgres(let url) = place { settings.database.url = url }
        return settings
      }
      try await body(all)
    }
  }

  private static func knownKey(_ world: World) async throws -> String? {
    try await world.server.madang.database.read { transaction in
      try transaction.first("SELECT value FROM installation WHERE name = 'token_key'") { try $0.get("value") }
    }
  }

  private static func complaint(_ settings: ServerSettings) async -> String {
    let error = await #expect(throws: SetupError.self) { try await World.run(settings) { _ in } }
    return error?.description ?? ""
  }

  @Test("one API key is created on a file system without hard links", arguments: [EPERM, ENOTSUP, ENOSYS])
  func withoutHardLinks(_ code: Int32) throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func secretsWhereLinks(failWith code: Int32) throws -> Secrets {
      var calls = PrivateFile.Calls()
      calls.link = { _, _ in
        errno = code
        return -1
      }
      return try Secrets(directory: folder, ids: IDSource(), calls: calls)
    }
    let secrets = try secretsWhereLinks(failWith: code)
    let key = try secrets.makeAPIKey(.october2024)
    #expect(try secrets.makeAPIKey(.october2024) == key)
    #expect(try secrets.apiKey(.october2024) == key)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["api-key-2024-10"])
    let file = folder.appending(path: "api-key-2024-10")
    #expect(try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int == 0o600)
    let full = try #require(throws: SetupError.self) {
      try secretsWhereLinks(failWith: ENOSPC).makeAPIKey(.january2024)
    }
    #expect(full.description == "\(folder.path)/api-key-2024-01 cannot be written: No space left on device")
  }

  @Test(
    "servers that start at once on an empty database share one key for tokens and create one API key for each edition",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func atOnce(_ engine: TestEngine) async throws {
    try await Self.places(engine, 4) { places in
      var quiet = Logger(label: "test")
      quiet.logLevel = .error
      let servers = try await withThrowingTaskGroup(of: MadangServer.self) { [quiet] group in
        for var settings in places {
          settings.isDevelopment = false
          group.addTask { [settings] in try await buildServer(settings, logger: quiet) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      let keys = try await servers[0].madang.keys()
      for server in servers { await server.madang.database.close() }
      #expect(Set(servers.map(\.madang.settings.decoyKey)).count == 1)
      #expect(keys.map(\.edition).sorted() == EditionName.allCases.map(\.rawValue).sorted())
      let files = try places.flatMap {
        try FileManager.default.contentsOfDirectory(atPath: $0.dataDirectory.appending(path: "secrets").path)
      }
      #expect(files.sorted() == EditionName.allCases.map { "api-key-\($0.rawValue)" }.sorted())
    }
  }

  @Test(
    "a token and a socket cookie of one server work at another with its own data directory",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func elsewhere(_ engine: TestEngine) async throws {
    try await Self.places(engine, 2) { places in
      try await World.run(places[0]) { first in
        try await World.run(places[1]) { second in
          let mina = try await first.signUp("Mina")
          #expect(try await second.call(.GET, "users/me", token: mina.token).status == 200)
        }
      }
    }
  }

  @Test("a key that an older version kept in a file moves to the database", arguments: TestEngine.available)
  func takenOver(_ engine: TestEngine) async throws {
    try await Self.places(engine, 1) { places in
      let file = places[0].dataDirectory.appending(path: "secrets/access-token.key")
      let key = String(repeating: "0123456789abcdef", count: 4)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      #expect(
        FileManager.default.createFile(
          atPath: file.path, contents: Data((key + "\n").utf8), attributes: [.posixPermissions: 0o600]))
      let token = try await Self.tokenOfNewAccount(places[0])
      // It is not read any more: neither missing nor changed does it matter.
      try Data((String(key.reversed()) + "\n").utf8).write(to: file)
      for isThere in [true, false] {
        if !isThere { try FileManager.default.removeItem(at: file) }
        try await World.run(places[0]) { (world) async throws in
          #expect(try await Self.knownKey(world) == "key \(key)")
          #expect(try await world.call(.GET, "users/me", token: token).status == 200)
        }
      }
    }
  }

  @Test(
    "a server with a dangling link to its token key does not start and creates no other key",
    arguments: TestEngine.available)
  func mountedLate(_ engine: TestEngine) async throws {
    try await Self.places(engine, 1) { places in
      let files = FileManager.default
      let file = places[0].dataDirectory.appending(path: "secrets/access-token.key")
      let mounted = places[0].dataDirectory.appending(path: "mounted.key")
      let key = String(repeating: "0123456789abcdef", count: 4)
      try files.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
      try files.createSymbolicLink(at: file, withDestinationURL: mounted)
      let error = await #expect(throws: SetupError.self) { try await World.run(places[0]) { _ in } }
      #expect(error?.description.contains("is a link to \(mounted.path), which does not exist") == true)
      #expect(
        files.createFile(
          atPath: mounted.path, contents: Data((key + "\n").utf8), attributes: [.posixPermissions: 0o600]))
      try await World.run(places[0]) { (world) async throws in
        #expect(try await Self.knownKey(world) == "key \(key)")
      }
    }
  }

  /// The token counts for a day of the world's clock, which stands still but is set by the machine's.
  private static func tokenOfNewAccount(_ settings: ServerSettings) async throws -> String {
    let tokens = Tokens()
    try await World.run(settings) { world in await tokens.set(try await world.signUp("Mina").token) }
    return await tokens.value
  }

  private actor Tokens {
    var value = ""
    func set(_ value: String) { self.value = value }
  }

  @Test(
    "the database keeps a digest of a given token key, and another key is refused",
    arguments: TestEngine.available)
  func given(_ engine: TestEngine) async throws {
    try await Self.places(engine, 1) { places in
      var (ours, theirs) = (places[0], places[0])
      ours.tokenKey = String(repeating: "k", count: 32)
      theirs.tokenKey = String(repeating: "j", count: 100)
      // It takes the place of a key that the database keeps.
      let earlier = try await Self.tokenOfNewAccount(places[0])
      try await World.run(ours) { [ours] (world) async throws in
        #expect(try await world.call(.GET, "users/me", token: earlier).code == "E02")
        let known = try #require(try await Self.knownKey(world))
        #expect(known.hasPrefix("digest ") && !known.contains(ours.tokenKey))
      }
      #expect(await Self.complaint(theirs).contains("have another key (tokens.key)"))
      #expect(await Self.complaint(places[0]).contains("MADANG_TOKENS_KEY"))
      try await Self.replaceKey(ours)
      try await World.run(theirs) { (world) async throws in
        let known = try #require(try await Self.knownKey(world))
        // Of a long key HMAC uses the SHA-256 itself.
        #expect(known != "digest \(Madang.keyHash(String(repeating: "j", count: 100)))")
      }
      #expect(await Self.complaint(ours).contains("have another key (tokens.key)"))
      var short = ours
      short.tokenKey = String(repeating: "k", count: 31)
      #expect(short.problems().contains { $0.hasPrefix("tokens.key: ") })
    }
  }

  @Test(
    "a token of the older form works for a session that began before it was issued; otherwise it has to be refreshed",
    arguments: TestEngine.available)
  func olderForm(_ engine: TestEngine) async throws {
    try await World.run(engine) { (world) async throws in
      let mina = try await world.signUp("Mina")
      let key = try #require(try await Self.knownKey(world)).dropFirst(4)
      // Without the time at which the session began.
      var parts = mina.token.split(separator: ".").map(String.init)
      let padded =
        parts[1].replacing("-", with: "+").replacing("_", with: "/")
        + String(repeating: "=", count: 3 - (parts[1].count + 3) % 4)
      let payload = String(decoding: try #require(Data(base64Encoded: padded)), as: UTF8.self)
      parts[1] = Self.base64URL(Data(payload.replacing(/,?"beg_ms":[0-9]+/, with: "").replacing("{,", with: "{").utf8))
      let signed = "\(parts[0]).\(parts[1])"
      let code = HMAC<SHA256>.authenticationCode(
        for: Data(signed.utf8), using: SymmetricKey(data: Data(key.utf8)))
      let older = "\(signed).\(Self.base64URL(Data(code)))"
      #expect(older != mina.token)
      #expect(try await world.call(.GET, "users/me", token: older).status == 200)
      // As if the number had been given out again.
      _ = try await world.server.madang.database.write {
        try $0.execute("UPDATE sessions SET created_at = created_at + 1")
      }
      #expect(try await world.call(.GET, "users/me", token: older).code == "E05")
    }
  }

  private static func base64URL(_ data: Data) -> String {
    data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }

  private static func replaceKey(_ settings: ServerSettings) async throws {
    try await Administration.run(settings, logger: Logger(label: "test")) { try await $0.replaceTokenKey() }
  }

  @Test(
    "while servers run, a server with another key does not start, and no key is created",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func beside(_ engine: TestEngine) async throws {
    try await Self.places(engine, 2) { places in
      var given = places[1]
      given.tokenKey = String(repeating: "k", count: 32)
      for mode in [places[0], given] {
        try await World.run(mode) { [given] (world) async throws in
          let token = try await world.signUp(mode.tokenKey.isEmpty ? "Mina" : "Joon").token
          let before = try await Self.knownKey(world)
          if mode.tokenKey.isEmpty {
            let words = await Self.complaint(given)
            #expect(words.contains("use the key in the database") && words.contains("stop them all"))
          }
          let refused = await #expect(throws: AdministrationError.self) { try await Self.replaceKey(places[0]) }
          #expect(refused?.description.contains("stop them all first") ?? false)
          #expect(try await Self.knownKey(world) == before)
          #expect(try await world.call(.GET, "users/me", token: token).status == 200)
        }
      }
    }
  }

  @Test(
    "servers that start at once may all have a key in the settings although the database has one",
    arguments: TestEngine.available.filter { $0 == .postgres })
  func givenAtOnce(_ engine: TestEngine) async throws {
    try await Self.places(engine, 4) { places in
      try await World.run(places[0]) { _ in }
      let servers = try await withThrowingTaskGroup(of: MadangServer.self) { group in
        for var settings in places {
          settings.tokenKey = String(repeating: "k", count: 32)
          group.addTask { [settings] in try await buildServer(settings, logger: Logger(label: "test")) }
        }
        return try await group.reduce(into: []) { $0.append($1) }
      }
      for server in servers { await server.madang.database.close() }
      #expect(servers.count == 4)
    }
  }

  @Test("replacing the key ends tokens, not sessions", arguments: TestEngine.available)
  func replaced(_ engine: TestEngine) async throws {
    try await Self.places(engine, 1) { places in
      let token = try await Self.tokenOfNewAccount(places[0])
      try await World.run(places[0]) { (world) async throws in
        #expect(try await world.call(.GET, "users/me", token: token).status == 200)
      }
      try await Self.replaceKey(places[0])
      try await World.run(places[0]) { (world) async throws in
        #expect(try await world.call(.GET, "users/me", token: token).code == "E02")
        #expect(try await world.server.madang.statistics().sessions == 1)
      }
    }
  }

  @Test(
    "one of several servers refuses an empty directory as the place of all files, with or without a name",
    arguments: TestEngine.available.filter { $0 == .postgres }, [true, false])
  func ownFiles(_ engine: TestEngine, _ isNamed: Bool) async throws {
    try await Self.places(engine, 2) { places in
      var (first, second) = (places[0], places[1])
      if isNamed { (first.node, second.node) = ("a", "b") }
      (first.isDevelopment, second.isDevelopment) = (false, false)
      let files = second.dataDirectory.appending(path: "files")
      try FileManager.default.removeItem(at: files)
      try await World.run(first) { _ in }
      let words = await Self.complaint(second)
      #expect(words.contains("need the same files") && words.contains("share --data, or files/ in it"))
      try FileManager.default.removeItem(at: files)
      try FileManager.default.createSymbolicLink(
        at: files, withDestinationURL: first.dataDirectory.appending(path: "files"))
      try await World.run(first) { [second] _ in try await World.run(second) { _ in } }
    }
  }
}
