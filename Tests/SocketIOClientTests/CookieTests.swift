import Foundation
import SocketIOProtocol
import SocketIOServer
import SocketIOSupport
import Testing

@testable import SocketIOClient

@Suite("Cookies of the server", .timeLimit(.minutes(5)))
struct CookieTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)

  private static func jar(
    _ url: String = "https://chat.example", _ change: (inout SocketIOClient.Configuration) -> Void = { _ in }
  ) throws -> CookieJar {
    var configuration = SocketIOClient.Configuration()
    change(&configuration)
    return CookieJar(try ServerAddress(url: url), configuration)
  }

  @Test("a cookie of the answer that opens a session is sent with each later request, and with the upgrade")
  func sticky() async throws {
    try await Rig.with(.changed { $0.cookie = .init(name: "node") }) { (rig) async throws in
      try await Relay.with(.plain(to: rig.port)) { (relay) async throws in
        let change: (inout SocketIOClient.Configuration) -> Void = { configuration in
          configuration.headers = [("Cookie", "own=1")]
        }
        try await rig.withClient(.upgrade, url: "http://127.0.0.1:\(relay.port)", change) { (client) async throws in
          try await client.connect()
          while await client.currentTransport != .webSocket { try await client.note("n") }
        }
        let requests = relay.requests("/socket.io/")
        let first = try #require(requests.first)
        #expect(first.lowercased().contains("cookie: own=1\r\n") || first.lowercased().hasSuffix("cookie: own=1"))
        let later = requests.dropFirst()
        #expect(later.contains { $0.contains("transport=websocket") })
        #expect(later.contains { $0.contains("POST ") })
        for request in later { #expect(request.contains("own=1; node="), "\(request)") }
      }
    }
  }

  @Test("cookies are sent until they expire, and a new one replaces one with the same name")
  func lifetime() throws {
    var jar = try Self.jar()
    #expect(jar.header(at: Self.now) == nil)
    jar.take("a=1; Path=/", at: Self.now)
    jar.take("b=2; Max-Age=10; HttpOnly; Secure", at: Self.now)
    jar.take("c=3; Expires=Fri, 15 Jan 2027 08:00:20 GMT", at: Self.now)
    jar.take("past=4; Expires=Wed, 21 Oct 2015 07:28:00 GMT", at: Self.now)
    #expect(jar.header(at: Self.now) == "a=1; b=2; c=3")
    #expect(jar.header(at: Self.now + 11) == "a=1; c=3")
    #expect(jar.header(at: Self.now + 21) == "a=1")
    jar.take("a=5", at: Self.now)
    #expect(jar.header(at: Self.now) == "a=5")
    jar.take("a=; Max-Age=0", at: Self.now)
    #expect(jar.header(at: Self.now) == nil)
  }

  @Test(
    "cookies for another host, another path or secure connections only are not kept",
    arguments: [
      "a=1; Domain=other.example", "a=1; Domain=at.example", "a=1; Domain=x.chat.example", "a=1; Path=/other",
      "a=1; Path=/sock", "a=1; Secure", "a=\u{7f}", "=1", "a", "", ";",
    ])
  func foreign(_ header: String) throws {
    var jar = try Self.jar("http://chat.example")
    jar.take(header, at: Self.now)
    #expect(jar.header(at: Self.now) == nil)
  }

  @Test(
    "cookies for a parent domain and a parent path are kept too", arguments: ["Domain=.example", "Path=/socket.io"])
  func above(_ attribute: String) throws {
    var jar = try Self.jar("http://chat.example")
    jar.take("a=1; \(attribute)", at: Self.now)
    #expect(jar.header(at: Self.now) == "a=1")
  }

  @Test("the number and the bytes of cookies are limited: the oldest are removed")
  func bounded() throws {
    var jar = try Self.jar { ($0.maxCookies, $0.maxCookieBytes) = (2, 10) }
    for name in ["a", "b", "c"] { jar.take("\(name)=1", at: Self.now) }
    #expect(jar.header(at: Self.now) == "b=1; c=1")
    jar.take("d=1234567", at: Self.now)
    #expect(jar.header(at: Self.now) == "c=1; d=1234567")
    jar.take("e=12345678901", at: Self.now)
    #expect(jar.header(at: Self.now) == "c=1; d=1234567")
    jar = try Self.jar { $0.maxCookies = 0 }
    jar.take("a=1", at: Self.now)
    #expect(jar.header(at: Self.now) == nil)
  }

  @Test("the client's Cookie header is plain and within the limits for any Set-Cookie")
  func anything() throws {
    let parts = [
      "a", "b=", "=", ";", " ", "Path=/", "Max-Age=99999999999999999999", "Max-Age=-1", "Expires=x", "\u{0}", "é",
    ]
    for _ in 0..<2000 {
      var jar = try Self.jar { ($0.maxCookies, $0.maxCookieBytes) = (3, 12) }
      for _ in 0..<6 {
        jar.take((0..<Int.random(in: 0...8)).map { _ in parts.randomElement() ?? "" }.joined(), at: Self.now)
      }
      let header = jar.header(at: Self.now) ?? ""
      #expect(header.utf8.allSatisfy { (0x20...0x7e).contains($0) })
      // Names and values, with "=" and "; " between them.
      #expect(header.utf8.count <= 12 + 3 + 2 * 2)
    }
  }

  @Test("a cookie above the limit displaces no other, and limits below 0 keep none")
  func odd() throws {
    var jar = try Self.jar { $0.maxCookieBytes = 10 }
    jar.take("a=1", at: Self.now)
    jar.take("b=\(String(repeating: "x", count: 10))", at: Self.now)
    #expect(jar.header(at: Self.now) == "a=1")
    jar = try Self.jar { $0.maxCookies = -1 }
    jar.take("a=1", at: Self.now)
    #expect(jar.header(at: Self.now) == nil)
    jar = try Self.jar { $0.maxCookieBytes = -1 }
    jar.take("a=1", at: Self.now)
    #expect(jar.header(at: Self.now) == nil)
  }
}
