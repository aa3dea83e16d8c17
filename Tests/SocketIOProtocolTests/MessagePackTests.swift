import Testing

@testable import SocketIOProtocol

@Suite("MessagePack")
struct MessagePackTests {
  private static let limits = SocketPacketReader.Limits(attachments: 10, attachmentBytes: 100, values: .max)

  private func read(_ hex: String) throws -> SocketPacket { try SocketPacket(messagePack: unhex(hex), Self.limits) }

  /// Decodes an event's data, given in hexadecimal digits.
  private func data(_ hex: String) throws -> SocketPacket {
    try read("83 a474797065 02 a36e7370 a12f a464617461 \(hex)")
  }

  private func unhex(_ text: String) -> [UInt8] {
    let digits = text.filter { $0 != " " }
    return stride(from: 0, to: digits.count, by: 2).compactMap {
      UInt8(digits.dropFirst($0).prefix(2), radix: 16)
    }
  }

  @Test(
    "a packet decodes to what was encoded",
    arguments: [
      SocketPacket(.connect), SocketPacket(.connect, namespace: "/a", payload: bytes(#"{"t":1}"#)),
      SocketPacket(.disconnect, namespace: "/a"), SocketPacket(.event, payload: bytes(#"["a",1]"#)),
      SocketPacket(.event, namespace: "/a/b", id: AckID(.max), payload: bytes(#"["a",[],{},[[]],{"b":{}}]"#)),
      SocketPacket(.ack, id: AckID(0), payload: bytes("[]")),
      SocketPacket(.connectError, namespace: "/x", payload: bytes(#"{"message":"m"}"#)),
      SocketPacket(
        .event, namespace: "/a", id: AckID(3),
        payload: bytes(#"["e",{"_placeholder":true,"num":0},{"k":[{"_placeholder":true,"num":1}]},2]"#),
        attachments: [[1], []]),
      SocketPacket(.event, payload: bytes(#"["e",{"_placeholder":true,"num":0},{"_placeholder":true}]"#)),
      SocketPacket(
        .event,
        payload: bytes(
          #"["é😀\u0001\"\\",127,128,255,256,65535,65536,4294967295,4294967296,18446744073709551615]"#)),
      SocketPacket(
        .event,
        payload: bytes("[-1,-32,-33,-128,-129,-32768,-32769,-2147483648,-2147483649,-9223372036854775808]")),
      SocketPacket(.event, payload: bytes("[true,false,null,1.5,-0.25,1e+300,5e-324]")),
    ])
  func roundTrip(packet: SocketPacket) throws {
    var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10)
    let messages = packet.messages(.msgpack)
    #expect(messages.count == 1 && messages[0].isBinary)
    #expect(try reader.received(messages[0]) == packet)
  }

  @Test(
    "arrays, maps, texts and bytes of any length decode", arguments: [0, 15, 16, 31, 32, 255, 256, 65_535, 65_536])
  func lengths(count: Int) throws {
    let items = Array(repeating: "1", count: count).joined(separator: ",")
    let members = (0..<count).map { #""\#($0)":0"# }.joined(separator: ",")
    let text = String(repeating: "a", count: count)
    let packet = SocketPacket(
      .event, payload: bytes(#"["e",[\#(items)],{\#(members)},"\#(text)",{"_placeholder":true,"num":0}]"#),
      attachments: [Array(repeating: 7, count: count)])
    var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10)
    #expect(try reader.received(packet.messages(.msgpack)[0]) == packet)
  }

  @Test("the bytes equal those of the reference")
  func reference() {
    // `require("notepack.io").encode({ type: 2, data: ["a", 1, Buffer.from([1])], nsp: "/", id: 7 })`
    let packet = SocketPacket(
      .event, id: AckID(7), payload: bytes(#" [ "a" , 1 , {"_placeholder":true,"num":0} ] "#), attachments: [[1]])
    #expect(packet.encodedMessagePack == unhex("84 a474797065 02 a464617461 93 a161 01 c40101 a36e7370 a12f a26964 07"))
  }

  @Test(
    "values without a JSON equivalent become those of JavaScript's JSON",
    arguments: [
      ("c0", "null"), ("d40000", "null"), ("cb7ff8000000000000", "null"), ("cbfff0000000000000", "null"),
      ("ca3f000000", "0.5"), ("d6ff39457980", #""2000-06-13T00:00:00.000Z""#),
      ("d7ff ee6b27fc00000005", #""1970-01-01T00:00:05.999Z""#),
      ("c70cff 000f4240 ffffffffffffffff", #""1969-12-31T23:59:59.001Z""#),
      ("d700 000000df b7629c00", #""2000-06-13T00:00:00.000Z""#), ("c70cff 00000000 7fffffffffffffff", "null"),
      ("d700 7fffffffffffffff", "null"), ("d700 001eb208c2dc0000", #""+275760-09-13T00:00:00.000Z""#),
      ("d700 ffe14df73d240000", #""-271821-04-20T00:00:00.000Z""#),
      ("a3 ff6100", #""\#u{fffd}a\u0000""#),
      ("84 01c0 c001 c302 cb3ff800000000000003", #"{"1":null,"null":1,"true":2,"1.5":3}"#),
    ])
  func foreign(hex: String, json: String) throws {
    #expect(text(try data("92 a165 \(hex)").payload) == #"["e",\#(json)]"#)
  }

  @Test("an ArrayBuffer of old clients becomes bytes, and another extension its type and bytes")
  func extensions() throws {
    let packet = try data("93 a165 c7020001ff c7030131 3233")
    #expect(
      text(packet.payload) == #"["e",{"_placeholder":true,"num":0},[1,{"_placeholder":true,"num":1}]]"#)
    #expect(packet.attachments == [[1, 255], bytes("123")])
  }

  @Test("unknown members are ignored, and of members with one key the last one counts")
  func members() throws {
    let packet = try read("85 a474797065 00 a474797065 01 a76f7074696f6e73 81a161c401ff a464617461 c0 a36e7370 a22f61")
    #expect(packet == SocketPacket(.disconnect, namespace: "/a"))
  }

  @Test(
    "packets that the reference refuses, or that are cut off, are refused",
    arguments: [
      ("", .badPayload), ("90", .badPayload), ("80", .unknownType), ("81 a474797065 02", .badNamespace),
      ("82 a474797065 05 a36e7370 a12f", .unknownType), ("82 a474797065 ff a36e7370 a12f", .unknownType),
      ("82 a474797065 02 a36e7370 a161", .badNamespace), ("82 a474797065 02 a36e7370 a12f", .badPayload),
      ("83 a474797065 00 a36e7370 a12f a464617461 90", .badPayload),
      ("83 a474797065 01 a36e7370 a12f a464617461 80", .badPayload),
      ("83 a474797065 03 a36e7370 a12f a464617461 80", .badPayload),
      ("83 a474797065 00 a36e7370 a12f a26964 ff", .badID), ("83 a474797065 00 a36e7370 a12f a26964 a131", .badID),
      ("82 a474797065 00 a36e7370 a12f 00", .badPayload), ("81 01 02", .badPayload), ("c1", .badPayload),
      ("dfffffffff a474797065", .badPayload),
    ] as [(String, SocketParseError)])
  func refused(hex: String, error: SocketParseError) {
    #expect(throws: error) { try read(hex) }
  }

  @Test(
    "lengths beyond the message are refused before memory is allocated for them",
    arguments: [
      "ddffffffff", "dfffffffff", "dbffffffff", "c6ffffffff", "c9ffffffff00", "dcffff", "9f", "8f", "bf",
      "92 a165 81 91 01",
    ])
  func declared(hex: String) {
    #expect(throws: SocketParseError.badPayload) { try data(hex) }
  }

  @Test("attachments are limited in number and in bytes, in all members")
  func attachments() throws {
    let eleven = String(repeating: "c40101", count: 11)
    #expect(throws: SocketParseError.tooManyAttachments) { try data("9c a165 \(eleven)") }
    #expect(throws: SocketParseError.tooManyAttachments) { try read("81 a161 9b \(eleven)") }
    let large = "c465" + String(repeating: "00", count: 101)
    #expect(throws: SocketParseError.attachmentsTooLarge) { try data("92 a165 \(large)") }
  }

  @Test("beside bytes, a map that looks like a placeholder counts as one, and may refer only to existing attachments")
  func placeholders() throws {
    let mark = "ac 5f706c616365686f6c646572 c3 a36e756d"
    let packet = try data("93 a165 c40107 82 \(mark) 00")
    #expect(packet.attachments == [[7], [7]])
    #expect(throws: SocketParseError.badPlaceholder) { try data("93 a165 c40107 82 \(mark) 01") }
    #expect(try data("92 a165 82 \(mark) 01").attachments == [])
  }

  @Test(
    "no message becomes more than six times as long as JSON",
    arguments: [
      "01", "c0", "c2", "90", "80", "a0", "a101", "a1ff", "e0", "d080", "ca00000001", "cb0000000000000001",
      "d6ff00000000", "8101a0", "d40000",
    ])
  func expansion(item: String) throws {
    let (count, item) = (10_000, unhex(item))
    let digits = String(count, radix: 16)
    let values = "dd" + String(repeating: "0", count: 8 - digits.count) + digits
    let head = unhex("83 a474797065 02 a36e7370 a12f a464617461 \(values)")
    let message = head + repeatElement(item, count: count).joined()
    let packet = try SocketPacket(messagePack: message, Self.limits)
    #expect(JSONScanner.elements(ofArray: packet.payload)?.count == count)
    #expect(packet.payload.count <= 6 * message.count)
  }

  @Test("no depth exhausts the stack, in either direction")
  func depth() throws {
    let levels = 200_000
    let json = "[" + String(repeating: "[", count: levels) + String(repeating: "]", count: levels) + "]"
    let packet = SocketPacket(.event, payload: bytes(json))
    var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10)
    #expect(try reader.received(packet.messages(.msgpack)[0]) == packet)
  }

  @Test(
    "invalid JSON is encoded without harm",
    arguments: [#"["a"#, "]]}", #"["\"#, "[,,]", "x", #"{"a":"#, "[1e999999]", "--"])
  func noJSON(payload: String) {
    _ = SocketPacket(.event, payload: bytes(payload), attachments: [[1]]).encodedMessagePack
  }

  @Test("a text is not a packet")
  func texts() {
    var reader = SocketPacketReader(parser: .msgpack, maxAttachments: 10)
    #expect(throws: SocketParseError.unknownType) { try reader.received(EnginePacket(.message, bytes("0"))) }
  }
}
