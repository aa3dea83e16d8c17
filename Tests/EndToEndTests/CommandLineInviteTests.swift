import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("madang admin invite", .serialized, .timeLimit(.minutes(10)))
struct CommandLineInviteTests {
  private func withServer(
    _ engine: TestEngine, _ body: (_ server: TestServer, _ admin: Shell) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var environment = ["MADANG_REGISTRATION": "invite"]
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment.merge(TestServer.cheapPasswords) { $1 }
        environment["MADANG_PUBLIC_URL"] = server.url
        try await body(server, Shell("nobody", at: server, environment: environment))
      }
    }
  }

  private func signUp(_ name: String, at server: TestServer, key: String? = nil) async throws -> Shell.Outcome {
    let shell = Shell(name, at: server, environment: key.map { ["MADANG_KEY": $0] } ?? [:])
    return try await shell.run(
      "signup", "\(name)@example.com", "--nickname", name, "--password-stdin", input: "Passw0rd!\n")
  }

  @Test("an invited address can make an account; another address cannot", arguments: TestEngine.available)
  func addresses(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      #expect(try await signUp("mina", at: server).errors.first?.hasPrefix("madang: E11") == true)
      let made = try await admin.object("admin", "invite", "mina@example.com", "--days", "3")
      #expect(made["email"] == .text("mina@example.com") && made["code"] == .other)
      #expect(try await signUp("mina", at: server).status == 0)
      #expect(
        try await admin.refusal("admin", "invite", "mina@example.com") == "an account has the address mina@example.com")
      let second = try await admin.object("admin", "invite", "create", "joon@example.com")
      guard case .number(let number)? = second["number"] else { return #expect(Bool(false), "no number") }
      try await admin.object("admin", "invite", "revoke", "\(number)", "--yes")
      #expect(try await signUp("joon", at: server).status == 1)
      let all = try await admin.objects("admin", "invite", "list")
      #expect(all.map { $0["usesLeft"] } == [.number(0), .number(1)])
      let table = try await admin.run("admin", "invite", "list")
      #expect(table.output.count == 3 && table.output[1].contains("used up") && table.output[2].contains("revoked"))
      for wrong in [[], ["a@example.com", "--code"], ["a@example.com", "--uses", "2"], ["--code", "--days", "0"]] {
        #expect(try await Program("madang", ["admin", "invite"] + wrong).status() == 64)
      }
    }
  }

  @Test("the link of a code opens a page that invites an address", arguments: TestEngine.available)
  func codes(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let made = try await admin.object("admin", "invite", "--code", "--uses", "2")
      guard case .text(let link)? = made["link"] else { return #expect(Bool(false), "no link") }
      #expect(made["usesLeft"] == .number(2) && link.hasPrefix("\(server.url)/invite/"))
      var request = HTTPClientRequest(url: link)
      #expect(try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status == .ok)
      request.method = .POST
      request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
      request.body = .bytes(ByteBuffer(string: "email=mina%40example.com"))
      #expect(try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status == .ok)
      #expect(try await signUp("mina", at: server).status == 0)
      #expect(try await signUp("joon", at: server).status == 1)
      let list = try await admin.run("admin", "invite", "list")
      #expect(!list.output.joined().contains(link.suffix(32)))
    }
  }

  @Test(
    "an invitation to a workspace names it; an app shows no code, so its account is added by hand",
    arguments: TestEngine.available)
  func workspaces(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      _ = try await admin.object("admin", "invite", "mina@example.com")
      #expect(try await signUp("mina", at: server).status == 0)
      let mina = Shell("mina", at: server)
      #expect(try await mina.run("workspace", "create", "Weekend Builders").status == 0)
      let made = try await admin.object(
        "admin", "invite", "joon@example.com", "--workspace", "Weekend Builders", "--from", "Hana")
      #expect(made["workspace"] == .text("Weekend Builders") && made["from"] == .text("Hana"))
      guard case .text(let link)? = made["link"] else { return #expect(Bool(false), "no link") }
      let answer = try await HTTPClient.shared.execute(HTTPClientRequest(url: link), timeout: .seconds(30))
      let page = String(buffer: try await answer.body.collect(upTo: 1 << 20))
      #expect(page.contains("Hana invites you to “Weekend Builders” at "))
      #expect(try await signUp("joon", at: server).status == 0)
      #expect(try await mina.objects("workspace", "members").count == 1)
      _ = try await admin.object("admin", "workspaces", "add-member", "Weekend Builders", "joon@example.com")
      #expect(try await mina.objects("workspace", "members").count == 2)
      let table = try await admin.run("admin", "invite", "list")
      #expect(table.output.last?.contains("Weekend Builders") == true)
      #expect(try await admin.refusal("admin", "invite", "x@example.com", "--mail") == "no mails are sent")
      #expect(try await Program("madang", ["admin", "invite", "--code", "--mail"]).status() == 64)
    }
  }

  @Test("a key decides who may make an account with it", arguments: TestEngine.available)
  func keys(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let made = try await admin.object("admin", "keys", "create", "an app", "--registration", "open")
      guard case .text(let key)? = made["key"] else { return #expect(Bool(false), "no key") }
      #expect(made["registration"] == .text("open"))
      #expect(try await World.eventually { try await signUp("mina", at: server, key: key).status == 0 })
      #expect(try await signUp("joon", at: server).status == 1)
      let wrong = try Program("madang", ["admin", "keys", "create", "x", "--registration", "anybody"])
      #expect(await wrong.status() == 64)
    }
  }
}
