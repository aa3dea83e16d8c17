import Foundation
import MadangAPI
import MadangCore
import NIOHTTP1
import SocketIOProtocol
import SocketIOSupport
import Support
import Testing

@testable import MadangDevelopment

@Suite("Journal: secrets and formats", .timeLimit(.minutes(5)))
struct JournalSecretsTests {
  /// Performs all actions with secrets, and returns the secrets.
  private func doings(_ scene: FaultScene) async throws -> [String] {
    let world = scene.world
    var secrets = [Support.World.password, DevelopmentKey.october2024, DevelopmentKey.january2024]
    func keep(_ answer: Support.World.Answer) throws {
      let json = try answer.json
      for token in [json["token"], json] {
        for name in ["accessToken", "refreshToken"] { if let text = token?[name]?.string { secrets.append(text) } }
      }
      if let cookie = answer.cookie { secrets.append(String(cookie.drop { $0 != "=" }.dropFirst())) }
    }
    let form = "email=mina%40example.com&password=Passw0rd%21"
    try keep(try await world.call(.POST, "users/login", .form(form)))
    secrets.append("Passw0rd%21")
    try keep(
      try await world.call(
        .POST, "users/login",
        .raw(#"{"email":"mina@example.com","p\u0061ssword" : "Passw0rd!"}"#, type: "application/json")))
    for body in [
      #"{"email":"x","password":"geheim-1","n":"#, #"{"password":{"a":["geheim-2",3]},"password":41414141}"#,
      // Read as multipart with any content type, and cut off.
      " \r\n--x\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\ngeheim-7",
    ] {
      _ = try await world.call(.POST, "users/login", .raw(body, type: "application/json"))
    }
    // The server reads these names without the line ends around them.
    for (number, name) in ["\npassword", "password%0A", "password\u{85}"].enumerated() {
      _ = try await world.call(.POST, "users/login", .form("email=x&\(name)=geheim-8\(number)"))
    }
    _ = try await world.call(
      .POST, "users/login",
      .raw("..\r\n--b\r\nContent-Disposition: form-data; name=a\r\n\r\ngeheim-9", type: "multipart/x-json; boundary=b"))
    let wire = try await Wire.connect(scene.port)
    // A mark behind the sign of the query makes it another character, but no other byte.
    _ = try await wire.request("GET", "/v1/workspaces?\u{301}=x&SesacKey=geheim-query", headers: [])
    wire.abort()
    secrets.append("geheim-query")
    secrets += ["geheim-1", "geheim-2", "41414141", "geheim-3", "geheim-4", "geheim-7", "geheim-8", "geheim-9"]
    _ = try await world.call(.POST, "users/login", .multipart([.text("password", "geheim-3")]))
    _ = try await world.call(.GET, "workspaces?token=geheim-4&SesacKey=geheim-4")
    for (provider, field) in [("apple", "idToken"), ("kakao", "oauthToken")] {
      let token = try await world.socialToken(provider, provider, "\(provider)@example.com")
      secrets.append(token)
      try keep(try await world.call(.POST, "users/login/\(provider)", .json([field: .text(token)])))
    }
    secrets += [scene.mina.token, scene.mina.refreshToken]
    world.clock.advance(milliseconds: 30 * 3_600_000)
    let refreshed = try await world.call(
      .GET, "auth/refresh", token: scene.mina.token, headers: [(HeaderName.refreshToken, scene.mina.refreshToken)])
    try #require(refreshed.status == 200)
    try keep(refreshed)
    let token = try #require(try refreshed.json["accessToken"]?.string)
    _ = try await world.call(.GET, "workspaces", token: "Bearer \(token)", headers: [("Cookie", "a=geheim-5")])
    secrets.append("geheim-5")
    for carrier in Carrier.allCases {
      let client = try await EngineClient(
        port: scene.port, carrier, query: "&SesacKey=\(DevelopmentKey.october2024)&Authorization=\(token)")
      _ = try await client.join(
        scene.namespace, auth: #"{"SesacKey":"\#(DevelopmentKey.october2024)","token":"\#(token)"}"#)
      try await client.send(#"42\#(scene.namespace),["login",{"password":"geheim-6"}]"#)
      try await client.send("40/ws-channel-x?token=geheim-6,")
      await client.abort()
    }
    let old = try await RawWebSocket.open(scene.port, "/socket.io/?EIO=3&transport=websocket")
    try await old.send("40\(scene.namespace)?token=\(token)&SesacKey=\(DevelopmentKey.october2024),")
    secrets.append("geheim-6")
    #expect(try await scene.journal("packet=connect&direction=fromClient&count=7&wait=1m").complete)
    old.wire.abort()
    return secrets
  }

  @Test("no secret of any request or answer appears in the journal")
  func secrets() async throws {
    try await FaultScene.run { (scene) async throws in
      let secrets = try await doings(scene)
      #expect(secrets.count > 20 && secrets.allSatisfy { $0.count > 5 })
      for format in ["json", "ndjson", "har"] {
        let answer = try await scene.world.call(.GET, "/_dev/journal?limit=20000&format=\(format)", key: nil)
        #expect(answer.status == 200)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(text.contains("***") && text.contains("mina@example.com"))
        for secret in secrets { #expect(!text.contains(secret), "\(format): \(secret)") }
      }
    }
  }

  @Test(
    "codes of links are masked in paths and in referrers",
    arguments: ["password", "confirm", "invite"])
  func links(_ page: String) async throws {
    try await FaultScene.run { (scene) async throws in
      let code = String(repeating: "5e", count: 16)
      for path in [
        "/\(page)/\(code)", "//\(page)/\(code)/",
        "/%\(String(page.utf8.first ?? 0, radix: 16))\(page.dropFirst())/\(code)?x=1",
      ] {
        _ = try await scene.world.call(
          .GET, path, key: nil, headers: [("Referer", "http://127.0.0.1/\(page)/\(code)")])
      }
      #expect(try await scene.entries("path=/\(page)/*").map(\.path) == Array(repeating: "/\(page)/***", count: 3))
      for format in ["json", "har"] {
        let answer = try await scene.world.call(.GET, "/_dev/journal?format=\(format)", key: nil)
        #expect(!String(decoding: answer.body, as: UTF8.self).contains(code))
      }
      _ = try await scene.world.call(.GET, "/\(page)", key: nil)
      #expect(try await scene.entries("path=/\(page)").count == 1)
    }
  }

  @Test(
    "a header field with the code of a link is masked, however the link is written",
    arguments: [
      ("https://h/confirm/c0de", true), ("https://h/r?u=https%3A%2F%2Fh%2Fconfirm%2Fc0de", true),
      ("https://h/r?q=%C0%CE&u=https%3A%2F%2Fh%2Fconfirm%2Fc0de", true),
      ("https://h/r?q=100%&u=https%3A%2F%2Fh%2Fconfirm%2Fc0de", true),
      ("https://h/r?u=https%253A%252F%252Fh%252Fconfirm%252Fc0de", true), ("https://h/confirmed/c0de?q=%C0%CE", false),
    ])
  func linksInFields(_ value: String, _ isMasked: Bool) {
    #expect(Secrets.masked([("referer", value)]).map(\.value) == [isMasked ? "***" : value])
  }

  @Test(
    "values of secret fields are masked at any place and in any notation",
    arguments: [
      (#"{"password":"a","x":"b"}"#, #"{"password":"***","x":"b"}"#),
      (#"{"a":[{"Access_Token" : "a\"b"}],"deviceToken":"d"}"#, #"{"a":[{"Access_Token" : "***"}],"deviceToken":"d"}"#),
      (
        #"{"token":{"accessToken":"a","n":[1,null,true]},"x":1}"#,
        #"{"token":{"accessToken":"***","n":["***",null,"***"]},"x":1}"#
      ),
      (#"{"token":null,"idToken":12,"x":"password"}"#, #"{"token":null,"idToken":"***","x":"password"}"#),
      (#"["channel",{"oauthToken":"ab"#, #"["channel",{"oauthToken":"***""#),
      (#"{"password":"#, #"{"password":"#), (#"{"password":}"#, #"{"password":}"#),
      ("a=1&password=geheim&token=", "a=1&password=***&token="), ("0/x?token=abc,", "0/x?token=***"),
      ("a=&\u{301}&password=\u{301}geheim&b=2", "a=&\u{301}&password=***&b=2"), ("plain", "plain"), ("", ""),
    ])
  func masking(_ text: String, _ masked: String) {
    #expect(Secrets.masked(Array(text.utf8)) == masked)
  }

  @Test("invalid JSON of any kind is read to its end")
  func broken() {
    var random = SystemRandomNumberGenerator()
    let alphabet = Array(#"{}[]",:\ tokepaswrd_1n"#.utf8)
    for _ in 0..<2000 {
      let text = (0..<Int.random(in: 0...60, using: &random)).compactMap { _ in alphabet.randomElement(using: &random) }
      _ = Secrets.masked(Array(#"{"token":"#.utf8) + text)
      _ = Secrets.masked(text)
    }
  }

  @Test("an archive has the fields that HAR 1.2 requires, and the messages of WebSockets")
  func archive() async throws {
    try await FaultScene.run { (scene) async throws in
      let client = try await scene.joined(.webSocket)
      let told = try await scene.said("Hi")
      #expect(try await client.text() == told)
      let answer = try await scene.world.call(.GET, "/_dev/journal?format=har&limit=20000", key: nil)
      let log = try #require(try answer.json["log"])
      #expect(log["version"] == "1.2" && log["creator"]?["name"]?.string != nil && log["creator"]?["version"] != nil)
      let entries = try #require(log["entries"]?.list)
      #expect(entries.count == (try await scene.entries("kind=request").count) + 1)
      for entry in entries {
        #expect(
          entry.keys?.isSuperset(of: ["startedDateTime", "time", "request", "response", "cache", "timings"]) == true)
        #expect(try Cursor.label(entry["startedDateTime"]?.string, zoneless: 0) != nil)
        let request = try #require(entry["request"]?.keys)
        let needed: Set = [
          "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize",
        ]
        #expect(request.isSuperset(of: needed))
        let response = try #require(entry["response"]?.keys)
        let answered: Set = [
          "status", "statusText", "httpVersion", "cookies", "headers", "content", "redirectURL", "headersSize",
          "bodySize",
        ]
        #expect(response.isSuperset(of: answered))
        #expect(entry["response"]?["content"]?.keys?.isSuperset(of: ["size", "mimeType"]) == true)
        #expect(entry["timings"]?.keys?.isSuperset(of: ["send", "wait", "receive"]) == true)
        if let post = entry["request"]?["postData"] { #expect(post["mimeType"]?.string != nil) }
        for header in (entry["request"]?["headers"]?.list ?? []) + (entry["response"]?["headers"]?.list ?? []) {
          #expect(header.keys == ["name", "value"])
        }
        #expect(URL(string: entry["request"]?["url"]?.string ?? "")?.host() == "127.0.0.1")
      }
      let socket = try #require(entries.first { $0["_resourceType"] == "websocket" })
      #expect(socket["response"]?["status"] == 101)
      let messages = try #require(socket["_webSocketMessages"]?.list)
      #expect(messages.allSatisfy { $0.keys == ["type", "time", "opcode", "data"] && $0["opcode"] == 1 })
      #expect(messages.contains { $0["type"] == "receive" && $0["data"]?.string == told })
      #expect(messages.contains { $0["type"] == "send" && $0["data"]?.string?.hasPrefix("40/ws-channel-") == true })
      await client.abort()
    }
  }

  @Test("each entry is printed as one line")
  func lines() async throws {
    try await FaultScene.run { (scene) async throws in
      let answer = try await scene.world.call(.GET, "/_dev/journal?format=ndjson", key: nil)
      let lines = String(decoding: answer.body, as: UTF8.self).split(separator: "\n")
      let entries = try lines.map { try JSONDecoder().decode(JournalEntry.self, from: Data($0.utf8)) }
      #expect(entries == (try await scene.entries()) && entries.count == 3)
    }
  }

  @Test(
    "header fields with credentials are secrets",
    arguments: [HeaderName.apiKey, HeaderName.authorization, HeaderName.refreshToken])
  func headers(_ name: String) { #expect(Secrets.isHeader(name.lowercased())) }
}
