import Foundation
import Storage
import Support
import Testing

@Suite("madang admin audit", .serialized, .timeLimit(.minutes(10)))
struct CommandLineAuditTests {
  /// Runs `body` with a running server on an engine, and a shell on the same machine.
  private func withServer(
    _ engine: TestEngine, _ body: (_ server: TestServer, _ admin: Shell) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var environment: [String: String] = [:]
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment.merge(TestServer.cheapPasswords) { $1 }
        try await body(server, Shell("nobody", at: server, environment: environment))
      }
    }
  }

  @Test("beside a running server it shows who did what, by time, kind and account", arguments: TestEngine.available)
  func questions(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      let wrong = try await mina.run("login", "mina@example.com", "--password-stdin", input: "Wrong1!pass\n")
      #expect(wrong.status == 1)
      try await admin.object("admin", "users", "disable", "mina@example.com", "--yes")
      let isTold = try await World.eventually {
        try await admin.objects("admin", "audit", "--kind", "signInRefused").count == 1
      }
      #expect(isTold)
      let all = try await admin.objects("admin", "audit", "--since", "1h", "--account", "mina@example.com")
      #expect(all.map { $0["kind"] } == [.text("signUp"), .text("signInRefused"), .text("accountDisabled")])
      #expect(all.last?["actor"] == .text("administrator \(NSUserName())"))
      #expect(all.first?["address"] == .text("127.0.0.1"))
      #expect(try await admin.objects("admin", "audit", "--until", "1h").isEmpty)
      let last = try await admin.object("admin", "audit", "--limit", "1")
      #expect(last["kind"] == .text("accountDisabled"))
      let started = try await admin.object("admin", "audit", "--kind", "serverStarted")
      #expect(started["actor"] == .text("server") && started["account"] == .other)
      let table = try await admin.run("admin", "audit", "--kind", "signUp", "--kind", "accountDisabled")
      #expect(table.status == 0 && table.output.count == 3)
      #expect(table.output.first?.hasPrefix("WHAT") == true)
      #expect(table.output.last?.contains("mina@example.com sessions=1") == true)
      for wrong in [["--kind", "signin"], ["--since", "yesterday"], ["--limit", "0"]] {
        #expect(try await Program("madang", ["admin", "audit"] + wrong).status() == 64)
      }
    }
  }

  @Test("changed settings are logged without secrets; administrators' entries are written to the file too")
  func settings() async throws {
    try await withServer(.sqlite) { server, admin in
      let file = server.folder.appending(path: "audit.jsonl")
      let key = "an-api-key-of-the-settings"
      server.program.signal(SIGTERM)
      #expect(await server.program.status() == 0)
      let again = try Program(
        "madang", ["serve", "--dev", "--port", "0"],
        environment: admin.variables.merging([
          "MADANG_SOCKET_ACCESS": "token", "MADANG_KEYS": "\(key)=2024-10", "MADANG_AUDIT_FILE": file.path,
        ]) { $1 })
      _ = try await again.output.next(beginning: "madang listening on ")
      let change = try await admin.object("admin", "audit", "--kind", "settingsChanged")
      #expect(change["actor"] == .text("server"))
      let words = try await admin.run("admin", "audit", "--kind", "settingsChanged").output.joined()
      #expect(words.contains("socket.access=default -> token") && words.contains("keys=default -> ***"))
      let made = try await admin.run("admin", "keys", "create", "an app", environment: ["MADANG_AUDIT_FILE": file.path])
      #expect(made.status == 0)
      again.signal(SIGTERM)
      #expect(await again.status() == 0)
      let text = try String(contentsOf: file, encoding: .utf8)
      let kinds = try text.split(separator: "\n").map { try JSON(Array($0.utf8))["kind"]?.string }
      #expect(kinds == ["settingsChanged", "serverStarted", "keyCreated"])
      #expect(!text.contains(key))
    }
  }
}
