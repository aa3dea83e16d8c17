import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("madang admin users: accounts that wait", .serialized, .timeLimit(.minutes(10)))
struct CommandLineAccountsTests {
  private static let waiting = [
    "MADANG_REGISTRATION_CONFIRM": "limited", "MADANG_REGISTRATION_APPROVAL": "true",
    "MADANG_PUBLIC_URL": "https://chat.example.com",
  ]

  private func withServer(
    _ engine: TestEngine, _ body: (_ server: TestServer, _ admin: Shell) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var environment = Self.waiting
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        // The commands are configured with a mail server; the running server keeps mails.
        environment["MADANG_MAIL_SMTP"] = "smtp://127.0.0.1:9"
        environment["MADANG_MAIL_FROM"] = "chat@example.com"
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment["MADANG_DEV_URL"] = server.url
        environment.merge(TestServer.cheapPasswords) { $1 }
        try await body(server, Shell("nobody", at: server, environment: environment))
      }
    }
  }

  @Test(
    "accounts that wait are listed, approved, rejected and confirmed; their mails are shown",
    arguments: TestEngine.available)
  func waiting(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let mina = Shell("mina", at: server)
      try await mina.signUp("Mina")
      try await Shell("joon", at: server).signUp("Joon")
      #expect(try await mina.refusal("workspace", "create", "Builders") == "E11")
      let pending = try await admin.objects("admin", "users", "pending")
      #expect(pending.map { $0["email"] } == [.text("mina@example.com"), .text("joon@example.com")])
      #expect(pending.allSatisfy { $0["unconfirmedAt"] != .other && $0["pendingAt"] != .other })
      let table = try await admin.run("admin", "users", "list")
      #expect(table.output.last?.hasSuffix("waits for confirmation, approval") == true)

      let mails = try await admin.objects("dev", "mails", "--to", "mina@example.com", "--wait", "1m")
      #expect(mails.map { $0["kind"] } == [.text("addressConfirmation")])
      let link = try await admin.run("dev", "mails", "--to", "mina@example.com", "--link")
      let path = try #require(link.output.first?.split(separator: "/").last)
      var request = HTTPClientRequest(url: "\(server.url)/confirm/\(path)")
      request.method = .POST
      request.body = .bytes(Array("password=Passw0rd%21".utf8))
      #expect(try await HTTPClient.shared.execute(request, timeout: .seconds(30)).status == .ok)
      #expect(try await admin.refusal("admin", "users", "confirm", "mina@example.com").hasSuffix("confirmation"))
      #expect(try await mina.refusal("workspace", "create", "Builders") == "E11")
      let approved = try await admin.object("admin", "users", "approve", "mina@example.com")
      #expect(approved["pendingAt"] == .other && approved["unconfirmedAt"] == .other)
      try await mina.object("workspace", "create", "Builders")
      let told = try await admin.run("dev", "mails", "--to", "mina@example.com", "--after", "1", "--wait", "1m")
      #expect(told.status == 0 && told.output.last?.contains("accountApproved") == true)

      #expect(try await admin.object("admin", "users", "confirm", "joon@example.com")["unconfirmedAt"] == .other)
      #expect(try await admin.object("admin", "users", "reject", "joon@example.com", "--yes")["deletedAt"] != .other)
      #expect(try await admin.objects("admin", "users", "pending").isEmpty)
      #expect(try await admin.refusal("admin", "users", "approve", "mina@example.com").contains("does not wait"))
      let nothing = try await admin.run("dev", "mails", "--to", "nobody@example.com", "--wait", "1ms")
      #expect(nothing.status == 1)
      for wrong in [["--wait", "2m"], ["--after", "-1"], ["--link", "--json"]] {
        #expect(try await Program("madang", ["dev", "mails"] + wrong).status() == 64)
      }
      let key = try await admin.object("admin", "keys", "create", "an app", "--approval", "off")
      #expect(key["approval"] == .text("off"))
      #expect(try await Program("madang", ["admin", "keys", "create", "x", "--approval", "maybe"]).status() == 64)
    }
  }
}
