import SocketIOProtocol
import Testing

@Suite("Engine.IO packets and payloads")
struct EnginePayloadTests {
  static let packets: [EnginePacket] = [
    EnginePacket(.open, bytes("{}")), EnginePacket(.ping, EnginePacket.probe), EnginePacket(.message, bytes("é😀")),
    EnginePacket(binary: [0, 1, 254, 255]), EnginePacket(binary: []), EnginePacket(.noop), EnginePacket(.message),
  ]

  @Test("a payload decodes to the packets it was made of", arguments: [EngineRevision.v3, .v4])
  func roundTrip(revision: EngineRevision) throws {
    let payload = EnginePayload.encode(Self.packets, revision)
    #expect(try EnginePayload.decode(payload, revision) == Self.packets)
  }

  @Test("the binary form of revision 3 decodes to the packets it was made of")
  func binaryRoundTrip() throws {
    #expect(try EnginePayload.decodeBinary(EnginePayload.encodeBinary(Self.packets)) == Self.packets)
  }

  @Test("revision 4 separates packets and writes binary as base64")
  func revision4Form() {
    let payload = EnginePayload.encode([EnginePacket(.message, bytes("a")), EnginePacket(binary: [1, 2, 3, 4])], .v4)
    #expect(text(payload) == "4a\u{1e}bAQIDBA==")
  }

  @Test("revision 3 counts UTF-16 code units")
  func revision3Lengths() {
    let payload = EnginePayload.encode([EnginePacket(.message, bytes("😀")), EnginePacket(binary: [1])], .v3)
    #expect(text(payload) == "3:4😀6:b4AQ==")
  }

  @Test("the binary form marks type and length")
  func binaryForm() {
    let payload = EnginePayload.encodeBinary([EnginePacket(.message, bytes("é")), EnginePacket(binary: [7])])
    #expect(payload == [0, 3, 255] + bytes("4é") + [1, 2, 255, 4, 7])
  }

  @Test(
    "invalid payloads are refused",
    arguments: [
      ("", EngineRevision.v4), ("4a\u{1e}", .v4), ("abc", .v4), ("7", .v4), ("b&", .v4), ("bAQIDB", .v4), ("", .v3),
      ("4a", .v3), ("9:4a", .v3), (":4a", .v3), ("x:4a", .v3), ("99999999999999999999:4", .v3), ("1:4a", .v3),
      ("2:9a", .v3), ("5:b5AQ==", .v3),
    ])
  func malformed(payload: String, revision: EngineRevision) {
    #expect(throws: EngineParseError.self) { try EnginePayload.decode(bytes(payload), revision) }
  }

  @Test("no truncated payload crashes, and none yields packets that were not sent")
  func everyPrefix() {
    for (payload, revision) in [
      (EnginePayload.encode(Self.packets, .v4), EngineRevision.v4), (EnginePayload.encode(Self.packets, .v3), .v3),
    ] {
      for length in 0..<payload.count {
        guard let packets = try? EnginePayload.decode(Array(payload[..<length]), revision) else { continue }
        #expect(packets.count <= Self.packets.count)
        #expect(packets.dropLast().elementsEqual(Self.packets.prefix(max(0, packets.count - 1))))
      }
    }
    let binary = EnginePayload.encodeBinary(Self.packets)
    for length in 0..<binary.count {
      if let packets = try? EnginePayload.decodeBinary(Array(binary[..<length])) {
        #expect(packets.elementsEqual(Self.packets.prefix(packets.count)))
      }
    }
  }

  @Test("binary data has no prefix in revision 4 frames, and its type as prefix in revision 3 frames")
  func frames() throws {
    let packet = EnginePacket(binary: [9])
    #expect(EngineFrame(packet, .v4) == .binary([9]))
    #expect(EngineFrame(packet, .v3) == .binary([4, 9]))
    #expect(try EnginePacket(frame: .binary([4, 9]), .v3) == packet)
    #expect(try EnginePacket(frame: .text(bytes("bCQ==")), .v4) == packet)
    #expect(throws: EngineParseError.self) { try EnginePacket(frame: .binary([5, 9]), .v3) }
    #expect(throws: EngineParseError.self) { try EnginePacket(frame: .text([]), .v4) }
  }

  @Test("base64 agrees with its definition", arguments: ["", "f", "fo", "foo", "foob", "fooba", "foobar"])
  func base64(plain: String) {
    let expected = [
      "": "", "f": "Zg==", "fo": "Zm8=", "foo": "Zm9v", "foob": "Zm9vYg==", "fooba": "Zm9vYmE=", "foobar": "Zm9vYmFy",
    ]
    var encoded: [UInt8] = []
    Base64.encode(bytes(plain), into: &encoded)
    #expect(text(encoded) == expected[plain])
    #expect(Base64.decode(encoded[...]) == bytes(plain))
  }

  @Test("the open packet has the keys of the protocol and decodes again")
  func openPacket() throws {
    let open = EngineOpen(sid: "s", upgrades: ["websocket"], pingInterval: 300, pingTimeout: 200, maxPayload: 1_000_000)
    let packet = open.packet
    let json = #"{"sid":"s","upgrades":["websocket"],"pingInterval":300,"pingTimeout":200,"maxPayload":1000000}"#
    #expect(text(packet.encodedText(.v4)) == "0" + json)
    #expect(try EngineOpen(data: packet.data) == open)
    #expect(throws: EngineParseError.self) {
      try EngineOpen(data: bytes(#"{"sid":"","pingInterval":1,"pingTimeout":1}"#))
    }
  }

  @Test("an absent EIO means revision 3, an unknown one is invalid")
  func revisions() {
    #expect(EngineRevision(query: nil) == .v3)
    #expect(EngineRevision(query: "") == .v3)
    #expect(EngineRevision(query: "3") == .v3)
    #expect(EngineRevision(query: "4") == .v4)
    #expect(EngineRevision(query: "5") == nil)
    #expect(EngineRevision(query: "04") == nil)
  }
}
