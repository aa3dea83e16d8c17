import Foundation
import MadangAPI
import MadangCore
import MadangDevelopment
import MadangOperations
import MadangServer
import NIOHTTP1
import SocketIOSupport
import Support
import Testing

@Suite("Access to worlds", .timeLimit(.minutes(5)))
struct WorldAccessTests {
  @Test("worlds admit clients like their server")
  func settings() throws {
    var server = ServerSettings()
    (server.host, server.developmentToken) = ("0.0.0.0", "a-token-of-16-or-more")
    server.keys = ["key": .october2024]
    server.trustedProxies = [try #require(IPNetwork("10.0.0.0/8"))]
    (server.sockets.access, server.sockets.recentWindow, server.sockets.reviewInterval) = (.token, 1, 2)
    (server.sockets.origins, server.sockets.allowsEIO3, server.sockets.allowsJSONP) = (
      ["https://chat.example.com"], false, true
    )
    (server.sockets.pingInterval, server.sockets.pingTimeout) = (3, 4)
    server.metricsArePublic = true
    let settings = Worlds.settings(beside: server)
    #expect(settings.host == server.host && settings.developmentToken == server.developmentToken)
    #expect(settings.keys == server.keys && settings.trustedProxies == server.trustedProxies)
    #expect(
      settings.sockets.access == .token && settings.sockets.recentWindow == 1 && settings.sockets.reviewInterval == 2)
    #expect(
      settings.sockets.origins == server.sockets.origins && !settings.sockets.allowsEIO3 && settings.sockets.allowsJSONP
    )
    #expect(settings.sockets.pingInterval == 3 && settings.sockets.pingTimeout == 4)
    #expect(settings.metricsArePublic && settings.isDevelopment)
  }

  /// How a world takes Mina's socket without a token in Weekend/ios, from a page of chat.example.com and from another one.
  private static func opening(_ change: (inout ServerSettings) -> Void) async throws -> (
    joins: Bool, ofPage: Int, ofOther: Int
  ) {
    var outcome = (joins: false, ofPage: 0, ofOther: 0)
    try await WorldCallsTests.run(with: change) { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"seed":"courtyard"}"#)
      let url = try #require(try made.object["url"] as? String)
      let port = try #require(URL(string: url)?.port)
      let chats = try await Caller(url: url).signedIn("mina@example.com").chats(of: "ios")
      let channel = try #require(chats.split(separator: "/").dropLast().last)
      let target = "/socket.io/?EIO=4&transport=websocket"
      let socket = try await RawWebSocket.open(port, target)
      defer { socket.wire.abort() }
      _ = await socket.text()
      try await socket.send("40/ws-channel-\(channel),")
      outcome.joins = await socket.text()?.hasPrefix("40/") == true
      func status(_ page: String) async throws -> Int {
        try await RawWebSocket.handshake(port, target, headers: [("Origin", page)]).status
      }
      outcome.ofPage = try await status("https://chat.example.com")
      outcome.ofOther = try await status("https://other.example.com")
    }
    return outcome
  }

  @Test("a world of a strict server is equally strict and accepts the same origins")
  func sockets() async throws {
    let usual = try await Self.opening { _ in }
    #expect(usual == (true, 403, 403))
    let strict = try await Self.opening {
      ($0.sockets.access, $0.sockets.origins) = (.token, ["https://chat.example.com"])
    }
    #expect(strict == (false, 101, 403))
  }

  @Test("calls name a world by its id or by a unique name")
  func names() async throws {
    try await WorldCallsTests.run { dev in
      for name in ["Mine", "twin", "Twin"] { _ = try await dev.call(.POST, "/_dev/worlds", #"{"name":"\#(name)"}"#) }
      #expect(try await dev.call(.GET, "/_dev/worlds/mine").object["id"] as? String == "w1")
      #expect(try await dev.call(.POST, "/_dev/worlds/Mine/reset").status == 200)
      let twins = try await dev.call(.GET, "/_dev/worlds/twin/clock")
      #expect(
        twins.status == 400 && twins.body.contains("'twin' is the name of several worlds; give the id of one: w2, w3"))
      #expect(try await dev.call(.DELETE, "/_dev/worlds/Mine").status == 200)
      #expect(try await dev.call(.GET, "/_dev/worlds/mine").body.contains("there is no world 'mine'"))
    }
  }

  @Test("the journal masks the server's own token wherever it stands in a request")
  func ownToken() async throws {
    let token = "a-token-of-16-or-more"
    try await WorldCallsTests.run {
      $0.developmentToken = token
    } _: { dev in
      let made = try await dev.call(.POST, "/_dev/worlds", #"{"name":"mine"}"#)
      let url = try #require(try made.object["url"] as? String)
      let world = try #require(URL(string: url)?.port)
      for port in [try #require(URL(string: dev.url)?.port), world] {
        for (target, field) in [
          ("/x/_dev/\(token)/world", "none"), ("/x?y=/_dev/\(token)/", token),
          ("/\(token)\u{301}?z=\(token)", "b=\(token);"),
          ("/x/%61-token-of-16-or-mor%2565", "%61-token-of-16-or-more"),
        ] {
          // One of the paths ends its connection.
          let wire = try await Wire.connect(port)
          defer { wire.abort() }
          #expect(try await wire.request("GET", target, headers: [("X-Test", field)]).status == 400, "\(target)")
        }
        let journal = try await Caller(url: "http://127.0.0.1:\(port)").call(.GET, "/_dev/journal").body
        #expect(journal.contains(#""path":"/x/_dev/***/world""#) && journal.contains("/_dev/***/"), "\(journal)")
        #expect(!journal.contains(token) && !journal.contains("token-of-16"), "\(journal)")
      }
    }
  }

  @Test("the name of a removed world is no host until another world has it")
  func removed() async throws {
    try await WorldCallsTests.run { dev in
      let port = try #require(URL(string: dev.url)?.port)
      func status() async throws -> Int {
        let wire = try await Wire.connect(port)
        defer { wire.abort() }
        return try await wire.request("GET", "/livez", headers: [("Host", "MINE.localhost:\(port)")]).status
      }
      // Any name may be the server's own.
      #expect(try await status() == 200)
      for id in ["w1", "w2"] {
        _ = try await dev.call(.POST, "/_dev/worlds", #"{"name":"Mine"}"#)
        #expect(try await status() == 200)
        #expect(try await dev.call(.DELETE, "/_dev/worlds/\(id)").status == 200)
        #expect(try await status() == 404)
      }
    }
  }

  @Test("a port in use is reported with the name of its field")
  func port() async throws {
    try await WorldCallsTests.run { dev in
      let port = try #require(URL(string: dev.url)?.port)
      let answer = try await dev.call(.POST, "/_dev/worlds", #"{"port":\#(port)}"#)
      #expect(answer.status == 400)
      #expect(
        try answer.object["error"] as? String
          == "port: \(port) is in use; stop the other program, or choose another port: 0, or none, chooses a free one")
    }
  }
}
