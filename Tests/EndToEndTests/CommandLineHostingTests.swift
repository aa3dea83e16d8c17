import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("madang admin: members, accounts, chats, retention", .serialized, .timeLimit(.minutes(10)))
struct CommandLineHostingTests {
  private func python(_ arguments: String...) throws -> String {
    let (process, output) = (Process(), Pipe())
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-c"] + arguments
    process.standardOutput = output
    try process.run()
    process.waitUntilExit()
    return String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
  }

  @Test(
    "a server at an IPv6 address prints callable URLs for itself and for worlds",
    arguments: ["::1", "[::1]"])
  func ipv6(_ host: String) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "madang-ipv6-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let program = try Program(
      "madang", ["serve", "--dev", "--host", host, "--port", "0", "--data", folder.path],
      environment: TestServer.cheapPasswords)
    let line = try await program.output.next(beginning: "madang listening on ")
    let url = String(try #require(line.split(separator: " ").last))
    #expect(url.hasPrefix("http://[::1]:"))
    func call(_ url: String, _ body: String? = nil) async throws -> Data {
      var request = HTTPClientRequest(url: url)
      if let body { (request.method, request.body) = (.POST, .bytes(ByteBuffer(string: body))) }
      let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
      let bytes = try await answer.body.collect(upTo: 1 << 20)
      return Data(bytes.readableBytesView)
    }
    let made = try JSONDecoder().decode(
      [String: JSONValue].self, from: try await call("\(url)/_dev/worlds", #"{"seed":"courtyard"}"#))
    guard case .text(let world)? = made["url"] else { return #expect(Bool(false), "no URL") }
    #expect(world.hasPrefix("http://[::1]:"))
    #expect(String(decoding: try await call("\(world)/livez"), as: UTF8.self).contains("ok"))
    program.signal(SIGTERM)
    _ = await program.status()
  }

  @Test("members, accounts and chats are managed while the server runs", arguments: TestEngine.available)
  func hosting(_ engine: TestEngine) async throws {
    try await withEngine(engine) { place in
      var environment: [String: String] = [:]
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment.merge(TestServer.cheapPasswords) { $1 }
        let admin = Shell("nobody", at: server, environment: environment)
        let (mina, joon) = (Shell("mina", at: server), Shell("joon", at: server))
        try await mina.signUp("Mina")
        try await joon.signUp("Joon")
        try await mina.object("workspace", "create", "Builders")
        try await mina.object("workspace", "invite", "joon@example.com")
        try await joon.object("say", "일반", "a BAD word", "--workspace", "Builders")

        let found = try await admin.object("admin", "chats", "find", "bad", "--since", "1h")
        #expect(found["content"] == .text("a BAD word") && found["author"] == .text("joon@example.com"))
        guard case .number(let number)? = found["number"] else { return #expect(Bool(false), "no number") }
        try await admin.object("admin", "chats", "remove", "\(number)", "--yes")
        let history = try await mina.objects("history", "일반")
        #expect(history.map { $0["content"] } == [.text("삭제된 메시지입니다.")])

        let kept = try await admin.object(
          "admin", "workspaces", "retention", "Builders", "--chat-days", "30", "--yes")
        #expect(kept["chatDays"] == .number(30) && kept["fileDays"] == .other)
        #expect(try await admin.object("admin", "workspaces", "hold", "Builders")["heldAt"] != .other)
        let refused = try await admin.refusal("admin", "users", "delete", "joon@example.com", "--yes")
        #expect(refused.contains("legal hold"))
        #expect(try await admin.object("admin", "workspaces", "release", "1", "-y")["heldAt"] == .other)

        let zip = server.folder.appending(path: "joon.zip").path
        let export = try await admin.object("admin", "users", "export", "joon@example.com", zip)
        #expect(export["chats"] == .number(1))
        // Another program reads the names and verifies each checksum.
        let script = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), *sorted(z.namelist()))"
        let seen = try python(script, zip)
        #expect(seen == "None account.json chats-1.json coins-1.json sessions-1.json workspaces-1.json\n")

        try await admin.object("admin", "workspaces", "hand-over", "Builders", "joon@example.com", "--yes")
        #expect(
          try await admin.refusal("admin", "users", "delete", "joon@example.com", "--yes").contains("'Builders'"))
        let removed = try await admin.object(
          "admin", "workspaces", "remove-member", "Builders", "mina@example.com", "-y")
        #expect(removed["members"] == .number(1) && removed["owner"] == .text("joon@example.com"))
        #expect(try await mina.refusal("history", "일반", "--workspace", "Builders").isEmpty == false)
        let deleted = try await admin.object("admin", "users", "delete", "mina@example.com", "--yes")
        #expect(deleted["deletedAt"] != .other && deleted["nickname"] == .text("알 수 없음"))
        #expect(try await mina.refusal("whoami") == "E02")
        #expect(try await admin.run("admin", "check").status == 0)
      }
    }
  }
}
