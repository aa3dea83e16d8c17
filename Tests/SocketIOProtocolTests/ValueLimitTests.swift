import SocketIOProtocol
import Testing

@Suite("Limit of values in a packet")
struct ValueLimitTests {
  /// Packets with seven values each.
  private static let packets = [
    SocketPacket(.event, payload: bytes(#"["e",1,2.5,-3,null,true]"#)),
    SocketPacket(.event, namespace: "/a", payload: bytes(#"["e",[[[["deep"]]]]]"#)),
    SocketPacket(.ack, id: AckID(1), payload: bytes(#"[[],{},[[]],"",false]"#)),
    SocketPacket(.event, payload: bytes(#"["e",{"a":1,"b":{"c":2}},[]]"#)),
    SocketPacket(.connect, payload: bytes(#"{"a":[1,2],"b":"c","d":{},"e":0}"#)),
  ]

  private func read(_ packet: SocketPacket, _ parser: SocketParser, maxValues: Int) throws -> SocketPacket? {
    var reader = SocketPacketReader(parser: parser, maxAttachments: 10, maxValues: maxValues)
    return try reader.received(packet.messages(parser)[0])
  }

  @Test(
    "a packet with the allowed number of values, including nested ones, is decoded, and one with one more is refused",
    arguments: packets, [SocketParser.json, .msgpack])
  func limit(packet: SocketPacket, parser: SocketParser) throws {
    #expect(try read(packet, parser, maxValues: 7) == packet)
    #expect(throws: SocketParseError.tooManyValues) { try read(packet, parser, maxValues: 6) }
  }

  @Test("an ignored member of a MessagePack packet is limited as well")
  func ignoredMember() throws {
    func message(_ items: UInt8) -> EnginePacket {
      let head: [UInt8] = [0x83, 0xa4] + bytes("type") + [0x00, 0xa3] + bytes("nsp") + [0xa1] + bytes("/")
      let nulls: [UInt8] = Array(repeating: 0xc0, count: Int(items))
      return EnginePacket(binary: head + [0xa1] + bytes("x") + [0x90 | items] + nulls)
    }
    var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10, maxValues: 3)
    #expect(try reader.received(message(2)) == SocketPacket(.connect))
    #expect(throws: SocketParseError.tooManyValues) { try reader.received(message(3)) }
  }

  @Test("invalid JSON within the limit is refused as a bad payload")
  func badPayload() throws {
    var reader = SocketPacketReader(maxAttachments: 10, maxValues: 3)
    #expect(throws: SocketParseError.badPayload) { try reader.received(text: bytes(#"2["e",0"#)) }
    #expect(throws: SocketParseError.badPayload) { try reader.received(text: bytes(#"2["e",0] "x""#)) }
  }
}
