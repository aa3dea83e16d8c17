import Foundation
import MadangCore
import SocketIOSupport
import Support
import Testing

@testable import MadangOperations
@testable import MadangServer

@Suite("Origins of sockets behind proxies", .timeLimit(.minutes(5)))
struct OriginTests {
  @Test("an origin equal to the public URL gets a WebSocket whatever Host the proxy sends; other origins do not")
  func origins() async throws {
    var settings = World.settings(\.publicURL, "https://chat.example.com:8443")
    settings.trustedProxies = [try #require(IPNetwork("127.0.0.1"))]
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let port = try #require(URL(string: world.url)?.port)
      func status(_ origin: String, _ host: String, _ headers: (String, String)...) async throws -> Int {
        let fields = [("Host", host), ("Origin", origin), ("X-Forwarded-For", "203.0.113.9")] + headers
        return try await RawWebSocket.handshake(port, "/socket.io/?EIO=4&transport=websocket", headers: fields).status
      }
      let own = "wss://chat.example.com:8443"
      #expect(try await status(own, "chat.example.com:8443") == 101)
      #expect(try await status(own, "chat.example.com") == 101)
      #expect(try await status(own, "127.0.0.1:8080") == 101)
      #expect(
        try await status("wss://other.example.com", "127.0.0.1:8080", ("X-Forwarded-Host", "other.example.com")) == 101)
      #expect(
        try await status(
          "wss://other.example.com", "127.0.0.1:8080", ("Forwarded", "for=203.0.113.9;host=other.example.com")) == 101)
      #expect(
        try await status("wss://evil.example", "127.0.0.1:8080", ("X-Forwarded-Host", "other.example.com")) == 403)
      #expect(try await status("wss://chat.example.com", "127.0.0.1:8080") == 403)
      #expect(try await status("wss://evil.example", "chat.example.com:8443") == 403)
    }
    settings.trustedProxies = []
    try await World.run(.sqlite, settings: settings) { (world) async throws in
      let port = try #require(URL(string: world.url)?.port)
      let forged = [("Host", "a.example"), ("Origin", "https://evil.example"), ("X-Forwarded-Host", "evil.example")]
      #expect(
        try await RawWebSocket.handshake(port, "/socket.io/?EIO=4&transport=websocket", headers: forged).status == 403)
    }
  }

  @Test("a proxy that forwards the scheme wss reports TLS")
  func schemes() throws {
    for (scheme, isSecure) in [
      ("wss", true), ("HTTPS", true), ("http, wss", true), ("wss, http", false), ("ws", false),
    ] {
      let headers = [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Proto", scheme)]
      #expect(try ClientAddressTests.client("10.0.0.1", headers).isSecure == isSecure, "\(scheme)")
    }
  }

  @Test("an idle connection ends after http.idle, whose default is longer than the idle timeouts of proxies")
  func idle() async throws {
    #expect(ServerSettings().idleSeconds > 120)
    try await World.run(.sqlite, settings: World.settings(\.idleSeconds, 10)) { (world) async throws in
      let wire = try await Wire.connect(try #require(URL(string: world.url)?.port))
      #expect(try await wire.request("GET", "/livez").status == 200)
      #expect(await wire.readToEnd().isEmpty)
    }
  }
}
