import HTTPTypes
import MadangCore
import NIOCore
import Testing

@testable import MadangServer

@Suite("Client addresses", .timeLimit(.minutes(5)))
struct ClientAddressTests {
  static func client(
    _ peer: String, _ headers: [(String, String)] = [], trusting proxies: [String] = ["10.0.0.0/8", "fd00::/8"],
    takesLoopback: Bool = false
  ) throws -> ClientAddress {
    var fields = HTTPFields()
    for (name, value) in headers {
      fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value))
    }
    return ClientAddress(
      peer: try SocketAddress(ipAddress: peer, port: 1), headers: fields,
      trust: PeerTrust(
        proxies: try proxies.map { try #require(IPNetwork($0)) }, takesLoopbackForClient: takesLoopback))
  }

  @Test(
    "networks contain their addresses, in every form",
    arguments: [
      ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), (" 192.0.2.7 ", "192.0.2.7", true),
      ("192.0.2.7", "192.0.2.8", false), ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false),
      ("172.16.0.0/12", "172.31.255.255", true), ("172.16.0.0/12", "172.32.0.0", false),
      ("::ffff:10.0.0.0/104", "10.1.2.3", true), ("10.0.0.1", "::ffff:10.0.0.1", true),
      ("fd00::/8", "fdff::1", true), ("2001:db8::/33", "2001:db8:8000::", false), ("::1", "::1", true),
    ])
  func networks(_ network: String, _ address: String, _ contains: Bool) throws {
    #expect(try #require(IPNetwork(network)).contains(try #require(IPAddress(address))) == contains)
  }

  @Test(
    "malformed networks are refused",
    arguments: [
      "", "10.0.0.0/33", "10.0.0.0/x", "10.0.0/8", "localhost", "1/2/3", "/8",
      "::ffff:10.0.0.0/-9223372036854775808",
    ])
  func junk(_ text: String) { #expect(IPNetwork(text) == nil) }

  @Test("a peer that is not a trusted proxy is the client, whatever it forwards")
  func stranger() throws {
    #expect(try Self.client("203.0.113.1").text == "203.0.113.1")
    #expect(try !Self.client("203.0.113.1").isShared)
    for name in ["X-Forwarded-For", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "X-Forwarded-Proto"] {
      let client = try Self.client("203.0.113.1", [(name, "192.0.2.7")])
      #expect(client.text == "203.0.113.1" && client.isShared && !client.isSecure)
    }
  }

  @Test("a client's own Forwarded behind a proxy that sends X-Forwarded headers makes neither a scheme nor a host")
  func contradictions() throws {
    let proxied = [
      ("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Proto", "http"), ("X-Forwarded-Host", "chat.example.com"),
    ]
    let forged = proxied + [("Forwarded", "for=192.0.2.7;proto=https;host=evil.example")]
    #expect(try !Self.client("10.0.0.1", forged).isSecure)
    var fields = HTTPFields()
    for (name, value) in forged { fields.append(HTTPField(name: try #require(HTTPField.Name(name)), value: value)) }
    let host = ClientAddress.forwardedHost(
      fields, peer: try SocketAddress(ipAddress: "10.0.0.1", port: 1),
      trust: PeerTrust(proxies: [try #require(IPNetwork("10.0.0.0/8"))], takesLoopbackForClient: false))
    #expect(host == nil)
    let agreeing = proxied.prefix(1) + [("X-Forwarded-Proto", "https"), ("Forwarded", "for=192.0.2.7;proto=https")]
    #expect(try Self.client("10.0.0.1", Array(agreeing)).isSecure)
  }

  @Test("a loopback peer counts as client only if a setting says so and it forwards nothing")
  func loopback() throws {
    for peer in ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"] {
      let unknown = try Self.client(peer)
      #expect(unknown.isShared && !unknown.isLocal && unknown.site == nil)
      let known = try Self.client(peer, takesLoopback: true)
      #expect(!known.isShared && known.isLocal)
      #expect(try !Self.client(peer, [("X-Forwarded-For", "127.0.0.1")], takesLoopback: true).isLocal)
      // A trusted proxy that sends no client address.
      let silent = try Self.client(peer, trusting: ["127.0.0.0/8", "::1"])
      #expect(silent.isShared && !silent.isLocal)
    }
    #expect(try !Self.client("128.0.0.1", takesLoopback: true).isLocal)
  }

  @Test(
    "a host is this machine by its parsed address or the name localhost",
    arguments: [
      ("127.0.0.1", true), ("127.255.0.9", true), ("::1", true), ("[::1]", true), ("::ffff:127.0.0.1", true),
      ("[::ffff:7f00:1]", true), ("localhost", true), ("LocalHost", true), ("127.evil.example", false),
      ("127.0.0.1.evil.example", false), ("localhost.evil.example", false), ("127.1", false), ("2130706433", false),
      ("0177.0.0.1", false), ("[127.0.0.1]", false), ("127.0.0.1:80", false), ("127.0.0.1%evil", false),
      ("127.0.0.1\u{0}.evil.example", false), ("0.0.0.0", false), ("::", false), ("", false), ("128.0.0.1", false),
    ])
  func localHosts(_ host: String, _ isLocal: Bool) { #expect(isLoopback(host) == isLocal) }

  @Test("URLs put IPv6 in brackets and name a listener at all addresses by a loopback address")
  func urlHosts() {
    #expect(urlHost("::1") == "[::1]" && urlHost("[::1]") == "[::1]" && urlHost("127.0.0.1") == "127.0.0.1")
    #expect(localURLHost("::") == "[::1]" && localURLHost("0.0.0.0") == "127.0.0.1" && localURLHost("a.b") == "a.b")
  }

  @Test(
    "a malformed Host field is not read",
    arguments: [
      ("a.example", "a.example", nil), ("a.example:80", "a.example", 80), ("[::1]:8080", "[::1]", 8080),
      ("[::1]", "[::1]", nil),
    ] as [(String, String, Int?)])
  func authorities(_ text: String, _ host: String, _ port: Int?) throws {
    let authority = try #require(Authority(text))
    #expect(String(authority.host) == host && authority.port == port)
    for junk in ["", ":80", "[::1", "[::1]80", "::1", "a:b", "a:80:80", "a:-1", "a:65536", "127.0.0.1:evil"] {
      #expect(Authority(junk) == nil, "\(junk)")
    }
  }

  @Test("only a trusted proxy may name the host that the client called")
  func forwardedHosts() throws {
    func host(_ peer: String, _ name: HTTPField.Name, _ value: String) throws -> String? {
      ClientAddress.forwardedHost(
        [name: value], peer: try SocketAddress(ipAddress: peer, port: 1),
        trust: PeerTrust(proxies: [try #require(IPNetwork("10.0.0.0/8"))], takesLoopbackForClient: false))
    }
    #expect(try host("10.0.0.1", .forwardedHost, "evil.example, Chat.example.com:8443") == "chat.example.com:8443")
    #expect(try host("10.0.0.1", .forwarded, #"for=192.0.2.1;host="chat.example.com:8443""#) == "chat.example.com:8443")
    #expect(try host("10.0.0.1", .forwarded, "for=192.0.2.1") == nil)
    #expect(try host("203.0.113.1", .forwardedHost, "chat.example.com") == nil)
  }

  @Test("behind trusted proxies the client is the nearest hop that is not one of them")
  func chain() throws {
    let list = ("X-Forwarded-For", "6.6.6.6, 192.0.2.7 , 10.1.1.1")
    #expect(try Self.client("10.0.0.1", [list]).text == "192.0.2.7")
    #expect(
      try Self.client("10.0.0.1", [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "192.0.2.7")]).text
        == "192.0.2.7")
    #expect(try Self.client("::ffff:10.0.0.1", [("X-Forwarded-For", "::ffff:192.0.2.7")]).text == "192.0.2.7")
    #expect(try Self.client("10.0.0.1", [("X-Forwarded-For", "192.0.2.7:4711")]).text == "192.0.2.7")
    let elements = ("Forwarded", #"for=6.6.6.6, for="[2001:db8::7]:4711";proto=https;by=10.0.0.1"#)
    let client = try Self.client("fd00::1", [elements])
    #expect(client.text == "2001:db8::7" && client.network == "2001:db8::/64" && client.isSecure && client.isShared)
    #expect(try Self.client("10.0.0.1", [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Proto", "https")]).isSecure)
    #expect(
      try !Self.client("10.0.0.1", [("X-Forwarded-For", "192.0.2.7"), ("X-Forwarded-Proto", "https, http")]).isSecure)
    // All are trusted: the farthest.
    #expect(try Self.client("10.0.0.1", [("X-Forwarded-For", "10.3.3.3, 10.2.2.2")]).text == "10.3.3.3")
  }

  @Test(
    "an address identifies an account only if it is the farthest forwarded hop and not a proxy",
    arguments: [
      ("192.0.2.7", false), ("192.0.2.7, 10.1.1.1", false), ("10.1.1.1, 192.0.2.7, 10.2.2.2", true),
      ("203.0.113.5, 192.0.2.1", true), ("unknown, 192.0.2.1", true), ("10.2.2.2", true), ("10.3.3.3, 10.2.2.2", true),
    ])
  func provenance(_ chain: String, _ isShared: Bool) throws {
    #expect(try Self.client("10.0.0.1", [("X-Forwarded-For", chain)]).isShared == isShared)
    let elements = chain.split(separator: ",").map { "for=\($0.filter { $0 != " " })" }.joined(separator: ", ")
    #expect(try Self.client("10.0.0.1", [("Forwarded", elements)]).isShared == isShared)
    // Two headers that agree on the client: a proxy that only one of them has counts, too.
    let short = ("Forwarded", "for=192.0.2.1")
    #expect(try Self.client("10.0.0.1", [short, ("X-Forwarded-For", "203.0.113.5, 192.0.2.1")]).isShared)
  }

  @Test("an address that is missing or forwarded in two ways identifies no account")
  func doubts() throws {
    #expect(try Self.client("10.0.0.1").isShared)
    #expect(try Self.client("10.0.0.1", [("X-Forwarded-For", "unknown")]).isShared)
    #expect(try Self.client("10.0.0.1", [("Forwarded", "for=_hidden")]).isShared)
    #expect(try Self.client("10.0.0.1", [("X-Forwarded-Proto", "https")]).isShared)
    let two = [("Forwarded", "for=6.6.6.6"), ("X-Forwarded-For", "192.0.2.7")]
    #expect(try Self.client("10.0.0.1", two).isShared)
    #expect(try Self.client("10.0.0.1", [("Forwarded", "for=192.0.2.7"), two[1]]).text == "192.0.2.7")
  }
}
