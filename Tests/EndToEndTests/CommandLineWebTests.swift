import AsyncHTTPClient
import Foundation
import MadangCore
import NIOCore
import NIOHTTP1
import Storage
import Support
import Testing

@Suite("madang admin web", .serialized, .timeLimit(.minutes(10)))
struct CommandLineWebTests {
  private func withServer(
    _ engine: TestEngine, isOn: Bool = true, _ body: (_ server: TestServer, _ admin: Shell) async throws -> Void
  ) async throws {
    try await withEngine(engine) { place in
      var environment = ["MADANG_WEB_ADMIN": "\(isOn)"]
      if case .postgres(let url) = place { environment["MADANG_DATABASE_URL"] = url }
      try await TestServer.run(environment: environment) { server in
        environment["MADANG_DATA"] = server.folder.appending(path: "data").path
        environment["MADANG_PUBLIC_URL"] = server.url
        try await body(server, Shell("host", at: server, environment: environment))
      }
    }
  }

  /// Adds the administrator of a link, as the console's page does.
  private func setUp(_ name: String, _ token: String, at server: TestServer) async throws {
    var cookie = ""
    func call(_ path: String, _ body: [String: String]?, proof: String = "") async throws -> [String: String] {
      var request = HTTPClientRequest(url: "\(server.url)/admin/api/\(path)")
      request.headers = ["Cookie": cookie, "X-Madang-Proof": proof]
      if let body {
        request.method = .POST
        request.body = .bytes(ByteBuffer(bytes: try JSONEncoder().encode(body)))
      }
      let answer = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
      try #require(answer.status == .ok, "\(path)")
      if let field = answer.headers.first(name: "Set-Cookie") { cookie = String(field.prefix { $0 != ";" }) }
      let json = try JSON(Array(buffer: try await answer.body.collect(upTo: 100_000)))
      return ["proof": json["proof"]?.string ?? "", "secret": json["secret"]?.string ?? ""]
    }
    let proof = try await call("session", nil)["proof"] ?? ""
    let secret = try await call("setup/open", ["token": token], proof: proof)["secret"] ?? ""
    let code = Authenticator(secret).code(Clock())
    _ = try await call(
      "setup", ["token": token, "name": name, "password": "Persimmon-7", "code": code], proof: proof)
  }

  @Test("a link adds an administrator, who is listed and removed", arguments: TestEngine.available)
  func link(_ engine: TestEngine) async throws {
    try await withServer(engine) { server, admin in
      let empty = try await admin.run("admin", "web", "list")
      #expect(empty.output.isEmpty && empty.errors.joined().contains("madang admin web"))
      let made = try await admin.object("admin", "web")
      guard case .text(let link)? = made["link"] else { return #expect(Bool(false), "no link") }
      #expect(link.hasPrefix("\(server.url)/admin/#setup="))
      let token = String(link.split(separator: "=").last ?? "")
      #expect(token.utf8.count == 64)
      #expect(try await admin.run("admin", "web").output.joined().contains("/admin/#setup="))
      try await setUp("hana", token, at: server)
      let list = try await admin.objects("admin", "web", "list")
      #expect(list.map { $0["name"] } == [.text("hana")] && list.first?["recoveryCodes"] == .number(10))
      let table = try await admin.run("admin", "web", "list")
      #expect(table.errors.joined().contains("A link by madang admin web ("))
      #expect(table.output.count == 2 && table.output[1].contains("127.0.0.1"))
      #expect(try await admin.object("admin", "web", "remove", "HANA", "--yes")["name"] == .text("hana"))
      let wrong = try await admin.refusal("admin", "web", "remove", "hana", "--yes")
      #expect(wrong == "there is no administrator 'hana'; see 'madang admin web list'")
    }
  }

  @Test(
    "with the console off, no link is made, and the refusal says how to turn it on", arguments: TestEngine.available)
  func off(_ engine: TestEngine) async throws {
    try await withServer(engine, isOn: false) { _, admin in
      let refused = try await admin.run("admin", "web")
      #expect(refused.status == 1 && refused.errors.joined().contains("set web.admin to true"))
      #expect(try await admin.objects("admin", "web", "list").isEmpty)
    }
  }
}
