import Foundation
import MadangAPI
import MadangClient
import Storage
import Support
import Testing

@Suite("madang admin", .serialized, .timeLimit(.minutes(10)))
struct CommandLineAdminTests {
  /// Runs `body` with a running server on an engine, and a shell on the same machine.
  private func withServer(
    _ engine: TestEngine, _ body: (_ server: TestServer, _ admin: Shell) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var environment = ["MADANG_SOCKET_REVIEW": "1"]
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment.merge(TestServer.cheapPasswords) { $1 }
        try await body(server, Shell("nobody", at: server, environment: environment))
      }
    }
  }

  @Test("a disabled account is signed out and cannot sign in until it is enabled", arguments: TestEngine.available)
  func disable(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let before = try await admin.objects("admin", "users", "list")
      #expect(before.map { $0["email"] } == [.text("mina@example.com")])
      #expect(before.first?["disabledAt"] == .other)
      let disabled = try await admin.object("admin", "users", "disable", "MINA@example.com", "--yes")
      #expect(disabled["disabledAt"] != .other)
      #expect(disabled["sessions"] == .number(0))
      #expect(try await mina.refusal("whoami") == "E02")
      let refused = try await mina.run("login", "mina@example.com", "--password-stdin", input: "Passw0rd!\n")
      #expect(refused.errors.first?.hasPrefix("madang: E03") == true)
      try await admin.object("admin", "users", "enable", "mina@example.com")
      let back = try await mina.run("login", "mina@example.com", "--password-stdin", input: "Passw0rd!\n")
      #expect(back.status == 0)
      #expect(
        try await admin.refusal("admin", "users", "disable", "x@example.com", "--yes")
          == "no account has the address x@example.com")
    }
  }

  @Test(
    "the sockets of an account that is disabled, or whose session is ended, are disconnected",
    arguments: TestEngine.available)
  func sockets(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      try await server.withPerson("Mina") { mina in
        let workspace = try await mina.createWorkspace(name: "Courtyard").workspaceID
        let channel = try await mina.createChannel(name: "garden", in: workspace).channelID
        let room = RoomAddress.channel(id: channel, workspace: workspace)
        var watch = mina.watch([room]).makeAsyncIterator()
        #expect(try await watch.next() == .live)
        try await admin.object("admin", "sessions", "end", "--user", "mina@example.com", "--yes")
        await #expect(throws: MadangError.self) { while try await watch.next() != nil {} }

        try await mina.signIn(email: "mina@example.com", password: "Passw0rd!")
        watch = mina.watch([room]).makeAsyncIterator()
        #expect(try await watch.next() == .live)
        try await admin.object("admin", "users", "disable", "mina@example.com", "--yes")
        await #expect(throws: MadangError.self) { while try await watch.next() != nil {} }
      }
    }
  }

  @Test("passwords are reset, coins given, sessions ended, and totals shown", arguments: TestEngine.available)
  func accounts(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      try await mina.object("workspace", "create", "Builders")
      try await mina.object("say", "일반", "hello")
      let given = try await admin.object("admin", "users", "give-coins", "mina@example.com", "5", "--note", "thanks")
      #expect(given["coins"] == .number(95))
      #expect(try await mina.object("coins") == ["sesacCoin": .number(95)])
      let workspace = try await admin.object("admin", "workspaces", "list")
      #expect(workspace["chats"] == .number(1))
      let stats = try await admin.object("admin", "stats")
      #expect(stats["accounts"] == .number(1))
      #expect(stats["sessions"] == .number(1))
      let session = try await admin.object("admin", "sessions", "list", "--user", "mina@example.com")
      guard case .number(let number)? = session["number"] else { return #expect(Bool(false), "no number") }
      #expect(try await admin.object("admin", "sessions", "end", "\(number)", "-y") == ["ended": .number(1)])
      #expect(try await mina.refusal("whoami") == "E02")
      let weak = try await admin.run(
        "admin", "users", "reset-password", "mina@example.com", "--password-stdin", input: "short\n")
      #expect(weak.status == 1)
      let reset = try await admin.run(
        "admin", "users", "reset-password", "mina@example.com", "--password-stdin", "--json", input: "N3w-word!\n")
      CommandLineShapes.documented.check(try reset.objects(), of: ["admin", "users", "reset-password"])
      let login = try await mina.run("login", "mina@example.com", "--password-stdin", input: "N3w-word!\n")
      #expect(login.status == 0)
      let people = try await admin.run("admin", "users", "list", "--limit", "1")
      #expect(people.output.count == 2)
      #expect(people.errors == [], "this is the only account")
    }
  }

  @Test(
    "the key of access tokens is replaced only after the server has stopped", arguments: TestEngine.available)
  func replaceKey(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let refused = try await admin.run("admin", "sessions", "replace-key", "-y")
      #expect(refused.status == 1 && refused.output == [])
      #expect(refused.errors.joined().contains("first, and start"), "\(refused)")
      server.program.signal(SIGTERM)
      #expect(await server.program.status() == 0)
      #expect(try await admin.object("admin", "sessions", "replace-key", "-y") == ["replaced": .bool(true)])
      let again = try await server.restarted()
      again.program.signal(SIGTERM)
      #expect(await again.program.status() == 0)
    }
  }

  @Test("a second server on an embedded database refuses to start, and so does one with a name among several servers")
  func second() async throws {
    try await TestServer.run { server in
      let data = server.folder.appending(path: "data").path
      let second = try Program("madang", ["serve", "--port", "0", "--data", data])
      #expect(await second.status() == 1)
      #expect(await second.errors.rest().joined().contains("a server runs on \(data)"))
      server.program.signal(SIGKILL)
      _ = await server.program.status()
      let named = try Program("madang", ["serve", "--port", "0", "--data", data, "--node", "a"])
      #expect(await named.status() == 1)
      #expect(await named.errors.rest().joined().contains("several servers need PostgreSQL"))
      let next = try await server.restarted()
      next.program.signal(SIGTERM)
      #expect(await next.program.status() == 0)
    }
  }

  @Test("a running server notices keys that are made and revoked", arguments: TestEngine.available)
  func keys(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let made = try await admin.object("admin", "keys", "create", "an app")
      guard case .text(let key)? = made["key"], case .number(let number)? = made["number"] else {
        return #expect(Bool(false), "no key")
      }
      let mina = Shell("mina", at: server, environment: ["MADANG_KEY": key])
      let known = try await World.eventually {
        try await mina.run(
          "signup", "mina@example.com", "--nickname", "Mina", "--password-stdin", input: "Passw0rd!\n"
        ).status == 0
      }
      #expect(known)
      try await admin.object("admin", "keys", "revoke", "\(number)", "--yes")
      let unknown = try await World.eventually { try await mina.run("whoami").status == 1 }
      #expect(unknown)
      #expect(try await mina.refusal("whoami") == "E01")
      #expect(
        try await mina.run("whoami").errors.first?.hasSuffix("secrets/api-key-2024-10 of the server's data directory")
          == true)
      let all = try await admin.objects("admin", "keys", "list")
      #expect(all.map { $0["label"] } == [.text("an app")])
      #expect(all.first?["revokedAt"] != .other)
      #expect(try await admin.refusal("admin", "keys", "revoke", "\(number)", "--yes").hasPrefix("there is no key"))
    }
  }

  @Test("a key from the first start is listed, and stays revoked after it was revoked")
  func firstKey() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-test-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let environment = ["MADANG_DATA": folder.path]
    let missing = try Program("madang", ["admin", "stats"], environment: environment)
    #expect(await missing.status() == 1)
    #expect(await missing.errors.rest().first?.contains("does not exist") == true)
    for round in 1...2 {
      let server = try Program("madang", ["serve", "--port", "0"], environment: environment)
      _ = try await server.output.next(beginning: "madang listening on ")
      let list = try Program("madang", ["admin", "keys", "list"], environment: environment)
      let lines = await list.output.rest()
      #expect(lines.count == 3)
      #expect(lines.contains { $0.hasPrefix("api-key-2024-10") && $0.hasSuffix("revoked") } == (round == 2))
      if round == 1 {
        let number = lines.first { $0.hasPrefix("api-key-2024-10") }?.split(separator: " ")[1] ?? "0"
        let revoke = try Program(
          "madang", ["admin", "keys", "revoke", String(number), "--yes"], environment: environment)
        #expect(await revoke.status() == 0)
      }
      server.signal(SIGTERM)
      #expect(await server.status() == 0)
    }
  }

  @Test("a database of an older version is unchanged until a command migrates it", arguments: TestEngine.available)
  func migrate(_ engine: TestEngine) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try await withEngine(engine) { place in
      var environment = ["MADANG_DATA": folder.path]
      switch place {
      case .postgres(let url): environment["MADANG_DATABASE_URL"] = url
      case .sqlite, .sqliteTemporary:
        #expect(FileManager.default.createFile(atPath: folder.appending(path: "madang.sqlite").path, contents: nil))
      }
      for _ in 0..<2 {
        let refused = try Program("madang", ["admin", "stats"], environment: environment)
        #expect(await refused.status() == 1)
        let words = await refused.errors.rest().joined(separator: " ")
        #expect(words.contains("the database is at version 0, this program needs"))
        #expect(words.contains("madang admin migrate"))
      }
      for isFirst in [true, false] {
        let migrated = try Program("madang", ["admin", "migrate", "--json"], environment: environment)
        let line = try #require(await migrated.output.rest().first)
        #expect(await migrated.status() == 0)
        let versions = try JSONDecoder().decode([String: Int].self, from: Data(line.utf8))
        #expect(Set(versions.keys) == ["before", "version"])
        #expect((versions["before"] == 0) == isFirst)
        #expect(versions["version"] ?? 0 > 0)
      }
      #expect(await (try Program("madang", ["admin", "stats"], environment: environment)).status() == 0)
    }
  }

  @Test("without data, or with a wrong page, a command reports it and creates nothing")
  func nothing() async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-none-\(UUID().uuidString)")
    let program = try Program("madang", ["admin", "users", "list", "--data", folder.path])
    #expect(await program.status() == 1)
    #expect(await program.output.rest() == [])
    #expect(!FileManager.default.fileExists(atPath: folder.path))
    let page = try Program("madang", ["admin", "users", "list", "--limit", "0"])
    #expect(await page.status() == 64)
  }
}
