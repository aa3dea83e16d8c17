import Testing

@testable import SocketIOServer

@Suite("Negotiation of compression (RFC 7692 section 7.1)")
struct DeflateNegotiationTests {
  private static let never = "permessage-deflate; server_no_context_takeover; client_no_context_takeover"

  /// The answer; `nil` for a malformed field, an empty text if every offer is declined.
  private static func answer(_ field: String, windowBits: Int = 15) -> String? {
    guard let offers = WebSocketExtensionOffer.read(field) else { return nil }
    return DeflateAgreement(offers)?.field(windowBits: windowBits) ?? ""
  }

  private static let taken: [(offer: String, added: String)] = [
    ("permessage-deflate", ""),
    ("permessage-deflate; server_no_context_takeover", ""),
    ("permessage-deflate; client_no_context_takeover", ""),
    ("permessage-deflate; client_max_window_bits", ""),
    ("permessage-deflate; client_max_window_bits=8", ""),
    ("permessage-deflate; client_max_window_bits=15", ""),
    ("permessage-deflate; server_max_window_bits=8", "; server_max_window_bits=8"),
    ("permessage-deflate; server_max_window_bits=15", "; server_max_window_bits=15"),
    (#"permessage-deflate; server_max_window_bits="10""#, "; server_max_window_bits=10"),
    (#"permessage-deflate;server_max_window_bits="1\0""#, "; server_max_window_bits=10"),
    ("\tpermessage-deflate ;\tserver_max_window_bits = 10 ", "; server_max_window_bits=10"),
    (
      "permessage-deflate; client_max_window_bits; server_max_window_bits=15; server_no_context_takeover",
      "; server_max_window_bits=15"
    ),
    ("permessage-deflate; unknown, permessage-deflate; server_max_window_bits=9", "; server_max_window_bits=9"),
    ("permessage-deflate; server_max_window_bits=9, permessage-deflate", "; server_max_window_bits=9"),
    ("x-other; a=b, permessage-deflate", ""), (", ,permessage-deflate,,", ""),
  ]

  @Test("the first acceptable offer is accepted, and context takeover is excluded", arguments: taken)
  func takes(offer: String, added: String) {
    #expect(Self.answer(offer) == Self.never + added)
  }

  private static let declined = [
    "x-other", "permessage-bzip2", "Permessage-deflate", "permessage-deflate; unknown", "permessage-deflate; unknown=1",
    "permessage-deflate; server_max_window_bits", "permessage-deflate; server_max_window_bits=7",
    "permessage-deflate; server_max_window_bits=16", "permessage-deflate; server_max_window_bits=09",
    "permessage-deflate; server_max_window_bits=+9", "permessage-deflate; server_max_window_bits=-9",
    "permessage-deflate; server_max_window_bits=9.0", "permessage-deflate; server_max_window_bits=99999999999999999999",
    "permessage-deflate; client_max_window_bits=7", "permessage-deflate; client_max_window_bits=16",
    "permessage-deflate; client_max_window_bits=true", "permessage-deflate; server_no_context_takeover=1",
    "permessage-deflate; client_no_context_takeover=true",
    "permessage-deflate; server_no_context_takeover; server_no_context_takeover",
    "permessage-deflate; client_max_window_bits; client_max_window_bits=9",
    "permessage-deflate; server_max_window_bits=9; server_max_window_bits=10",
  ]

  @Test("an offer with an unknown, repeated or invalid parameter is declined", arguments: declined)
  func declines(offer: String) {
    #expect(Self.answer(offer) == "")
    #expect(Self.answer("\(offer), permessage-deflate") == Self.never)
  }

  private static let broken = [
    "", " ", ",", "permessage-deflate;", ";", "permessage-deflate; ;", "permessage-deflate; =9",
    "permessage-deflate; a=", "permessage-deflate; a=b c", "permessage-deflate a", "permessage-deflate/", "a=b",
    #"permessage-deflate; a="b"#, #"permessage-deflate; a="b c""#, #"permessage-deflate; a="""#,
    #"permessage-deflate; a="b\"#, #"permessage-deflate; a="b"c"#, "permessage-défläte", "a, b;",
  ]

  @Test("a malformed field is distinguished from a declined one", arguments: broken)
  func breaks(field: String) {
    #expect(Self.answer(field) == nil)
  }

  @Test("a client that limits the server's window is answered the smaller of both windows, and no other client is")
  func ownWindow() {
    #expect(Self.answer("permessage-deflate; server_max_window_bits=12", windowBits: 10)?.hasSuffix("=10") == true)
    #expect(Self.answer("permessage-deflate; server_max_window_bits=9", windowBits: 10)?.hasSuffix("=9") == true)
    #expect(Self.answer("permessage-deflate", windowBits: 10) == Self.never)
  }

  @Test("messages fit into the window of a client with a smaller one")
  func sizes() throws {
    func size(_ field: String, _ windowBits: Int) throws -> Int {
      let offers = try #require(WebSocketExtensionOffer.read(field))
      return try #require(DeflateAgreement(offers)).maxMessageSize(windowBits: windowBits)
    }
    #expect(try size("permessage-deflate", 15) == .max)
    #expect(try size("permessage-deflate; server_max_window_bits=12", 12) == .max)
    #expect(try size("permessage-deflate; server_max_window_bits=12", 15) == 4096)
    #expect(try size("permessage-deflate; server_max_window_bits=8", 9) == 256)
  }

  @Test("settings outside of zlib's range are clamped")
  func settings() throws {
    for (windowBits, nearest) in [(.min, 9), (8, 9), (9, 9), (15, 15), (.max, 15)] {
      var settings = SocketIOServer.PerMessageDeflate()
      settings.windowBits = windowBits
      settings.level = windowBits
      #expect(try #require(DeflateStreams(settings)).windowBits == nearest)
    }
  }
}
