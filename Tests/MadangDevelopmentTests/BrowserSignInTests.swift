import AsyncHTTPClient
import Foundation
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOCore
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Signing a browser in as a person", .timeLimit(.minutes(5)))
struct BrowserSignInTests {
  /// The nickname of the account that a cookie of an answer stands for, at the chat of a URL.
  private func nickname(_ answer: Caller.Answer, at url: String) async throws -> String? {
    let cookie = try #require(answer.headers.first(name: "Set-Cookie")?.prefix { $0 != ";" })
    var request = HTTPClientRequest(url: url + "web/session")
    request.headers.add(name: "Cookie", value: String(cookie))
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(30))
    let text = String(buffer: try await response.body.collect(upTo: 1 << 20))
    return try JSON(Array(text.utf8))["account"]?["nickname"]?.string
  }

  @Test("the cookie opens the chat of the world that is called, through the server and at its own port")
  func world() async throws {
    try await WorldCallsTests.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#).object
      let world = Caller(url: try #require(made["url"] as? String))
      #expect(try await dev.call(.GET, "/_dev/about").object["chat"] as? Bool == true)
      for (caller, path) in [(dev, "/_dev/worlds/w1"), (world, "/_dev")] {
        #expect(try await caller.call(.GET, path + "/about").object["chat"] as? Bool == true)
        for (who, name) in [("joon", "Joon"), ("mina@example.com", "Mina")] {
          let answer = try await caller.call(.POST, "\(path)/people/\(who)/browser")
          #expect(try answer.object["url"] as? String == world.url + "/")
          #expect(try await nickname(answer, at: world.url + "/") == name)
        }
      }
      let journal = try await world.call(.GET, "/_dev/journal?kind=request").object["entries"] as? [[String: Any]]
      let paths = try #require(journal).compactMap { $0["path"] as? String }
      #expect(paths == Array(repeating: "/web/session", count: 4), "the chat's own calls only")
    }
  }

  @Test("the URL has the host at which the console is open")
  func host() async throws {
    try await WorldCallsTests.run { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#).object
      let own = try #require(URL(string: dev.url)?.port)
      let address = try #require(made["url"] as? String)
      let port = try #require(URL(string: address)?.port)
      for (host, path, url) in [
        ("localhost:\(own)", "/_dev/worlds/w1", "http://localhost:\(port)/"),
        ("[::1]:\(own)", "/_dev/worlds/w1", "http://[::1]:\(port)/"),
        ("w1.localhost:\(own)", "/_dev", "http://w1.localhost:\(own)/"),
      ] {
        let wire = try await Wire.connect(own)
        defer { wire.abort() }
        let answer = try await wire.request("POST", path + "/people/joon/browser", headers: [("Host", host)])
        #expect(String(decoding: answer.body, as: UTF8.self) == #"{"url":"\#(url)"}"#, "\(host)")
      }
    }
  }

  @Test("an unknown person, another site and a server without the chat are refused")
  func refusals() async throws {
    try await WorldCallsTests.run { dev in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#)
      let path = "/_dev/worlds/w1/people/joon/browser"
      let unknown = try await dev.call(.POST, "/_dev/worlds/w1/people/other/browser")
      #expect(unknown.status == 400 && unknown.body.contains("there is no person"))
      #expect(try await dev.call(.POST, path, #"{"edition":"2024-01"}"#).status == 400)
      #expect(try await dev.call(.GET, path).status == 404)
      let wire = try await Wire.connect(try #require(URL(string: dev.url)?.port))
      defer { wire.abort() }
      let foreign = try await wire.request(
        "POST", path, headers: [("Host", "localhost"), ("Origin", "https://evil.example")])
      #expect(foreign.status == 403 && foreign.headers["set-cookie"] == nil)
    }
    let off: (inout ServerSettings) -> Void = { $0.web.chat = false }
    try await WorldCallsTests.run(with: off) { dev in
      _ = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#)
      for path in ["/_dev", "/_dev/worlds/w1"] {
        #expect(try await dev.call(.GET, path + "/about").object["chat"] as? Bool == false)
      }
      let answer = try await dev.call(.POST, "/_dev/worlds/w1/people/joon/browser")
      #expect(answer.status == 400)
      #expect(answer.body == #"{"error":"people/joon@example.com/browser: web.chat is off"}"#)
      #expect(answer.headers["Set-Cookie"].isEmpty)
    }
  }
}
