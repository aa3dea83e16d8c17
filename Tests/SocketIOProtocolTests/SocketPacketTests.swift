import SocketIOProtocol
import Testing

@Suite("Socket.IO packets")
struct SocketPacketTests {
  private func read(_ text: String, _ attachments: [[UInt8]] = []) throws -> SocketPacket? {
    var reader = SocketPacketReader(maxAttachments: 10)
    var packet = try reader.received(text: bytes(text))
    for attachment in attachments { packet = try reader.received(binary: attachment) }
    return packet
  }

  @Test(
    "a packet decodes to what was encoded",
    arguments: [
      SocketPacket(.connect), SocketPacket(.connect, namespace: "/a", payload: bytes(#"{"t":1}"#)),
      SocketPacket(.disconnect, namespace: "/a"), SocketPacket(.event, payload: bytes(#"["a",1]"#)),
      SocketPacket(.event, namespace: "/a/b", id: AckID(12), payload: bytes(#"["a"]"#)),
      SocketPacket(.ack, id: AckID(0), payload: bytes("[]")),
      SocketPacket(.connectError, namespace: "/x", payload: bytes(#"{"message":"m"}"#)),
      SocketPacket(
        .event, namespace: "/a", id: AckID(3),
        payload: bytes(#"["e",{"_placeholder":true,"num":0},{"k":{"_placeholder":true,"num":1}}]"#),
        attachments: [[1], []]),
      SocketPacket(
        .ack, id: AckID(3), payload: bytes(#"[{"_placeholder":true,"num":0}]"#), attachments: [[9, 8]]),
    ])
  func roundTrip(packet: SocketPacket) throws {
    #expect(try read(text(packet.encodedText), packet.attachments) == packet)
  }

  @Test("the texts are those of the protocol")
  func texts() {
    let event = SocketPacket.event("message", arguments: bytes(#"1,"2",{"3":[false]}"#))
    #expect(text(event.encodedText) == #"2["message",1,"2",{"3":[false]}]"#)
    let ack = SocketPacket.ack(AckID(456), arguments: bytes("1"), namespace: "/custom")
    #expect(text(ack.encodedText) == "3/custom,456[1]")
    let binary = SocketPacket.event("a", arguments: bytes(#"{"_placeholder":true,"num":0}"#), attachments: [[1]])
    #expect(text(binary.encodedText) == #"51-["a",{"_placeholder":true,"num":0}]"#)
    #expect(text(SocketPacket.event("a", arguments: []).encodedText) == #"2["a"]"#)
  }

  @Test(
    "the main namespace may be named, and the comma may be missing",
    arguments: [("0", "/"), ("0/", "/"), ("0/,", "/"), ("0/custom", "/custom"), ("0/custom,", "/custom"), ("0{}", "/")])
  func namespaces(text: String, namespace: String) throws {
    #expect(try read(text)?.namespace == namespace)
  }

  /// A letter with unsorted marks: comparing it sorts them, at the square of their number.
  static let dear = "a" + String(repeating: "\u{301}\u{323}", count: 200)

  @Test("a namespace with a letter of more than 256 bytes is refused; other languages, emoji and marks are not")
  func dearNamespaces() throws {
    let error = #expect(throws: SocketParseError.self) { try read("0/\(Self.dear),") }
    #expect(error == .badNamespace)
    for name in ["/모임", "/👨‍👩‍👧‍👦🏳️‍🌈", "/Z̵̧̡̛̰̲̀a̷l̶g̸o", "/" + String(repeating: "각", count: 10_000)] {
      #expect(try read("0\(name),")?.namespace == name)
    }
  }

  @Test("a placeholder's names are found however they are escaped")
  func escapedPlaceholders() throws {
    let name = "_placeholder".utf8.map { "\\u00" + String($0, radix: 16) }.joined()
    let packet = try read(#"51-["e",{"\#(name)":true,"\u006e\u0075\u006d":0}]"#, [[7]])
    #expect(packet?.attachments == [[7]])
  }

  @Test("names of events, members and query items that take too long to compare are left out")
  func dearNames() throws {
    #expect(try read(#"2["\#(Self.dear)",1]"#).map(SocketEvent.init) == .some(nil))
    let escaped = String(repeating: #"\u0301\u0323"#, count: 200)
    #expect(try read(#"2["a\#(escaped)",1]"#).map(SocketEvent.init) == .some(nil))
    let object = bytes(#"{"a":1,"a\#(escaped)":2,"b":3}"#)
    #expect(JSONScanner.members(ofObject: object)?.map(\.key) == ["a", "b"])
    #expect(QueryString("a=1&\(Self.dear)=2&b=3").items.map(\.name) == ["a", "b"])
  }

  @Test(
    "an ack id keeps its digits, however large it is",
    arguments: ["0", "7", "9007199254740993", String(repeating: "9", count: 40)])
  func ackIDs(digits: String) throws {
    #expect(try read("2\(digits)[\"a\"]")?.id?.digits == digits)
  }

  @Test("leading zeros of an ack id are dropped")
  func leadingZeros() throws {
    #expect(try read(#"2007["a"]"#)?.id?.digits == "7")
    #expect(try read(#"200["a"]"#)?.id?.digits == "0")
  }

  @Test(
    "invalid packets are refused",
    arguments: [
      "", "7", "9", "a", #"2["a"#, #"2["a"]x"#, #"2-1["a"]"#, #"21.5["a"]"#, "5x-[]", "5[]", "511-[]",
      "0bench,",
      "2" + String(repeating: "1", count: 41) + #"["a"]"#, "599999999999999999999-[]",
    ])
  func malformed(text: String) {
    #expect(throws: SocketParseError.self) { try read(text) }
  }

  @Test("attachments are sorted by their first appearance, and repeated if they are used twice")
  func renumbering() throws {
    let reversed = try read(
      #"52-["e",{"_placeholder":true,"num":1},{"num":0,"_placeholder":true}]"#, [[1], [2]])
    #expect(reversed?.attachments == [[2], [1]])
    #expect(reversed.map { text($0.payload) } == #"["e",{"_placeholder":true,"num":0},{"_placeholder":true,"num":1}]"#)
    let twice = try read(#"51-["e",{"_placeholder":true,"num":0},{"_placeholder":true,"num":0}]"#, [[7]])
    #expect(twice?.attachments == [[7], [7]])
    let unused = try read(#"51-["e","x"]"#, [[7]])
    #expect(unused?.attachments == [])
  }

  @Test(
    "a placeholder without an attachment is refused",
    arguments: [
      #"51-["e",{"_placeholder":true,"num":1}]"#, #"51-["e",{"_placeholder":true,"num":-1}]"#,
      #"51-["e",{"_placeholder":true,"num":"0"}]"#, #"51-["e",{"_placeholder":true}]"#,
    ])
  func badPlaceholders(text: String) {
    #expect(throws: SocketParseError.badPlaceholder) { try read(text, [[1]]) }
  }

  @Test("the content of a placeholder belongs to it")
  func nestedPlaceholders() throws {
    for inner in [#"{"_placeholder":true,"num":0}"#, #"[{"_placeholder":true,"num":99}]"#, #"{"a":{"num":7}}"#] {
      let nested = #"51-["e",{"a":\#(inner),"_placeholder":true,"num":0},1]"#
      let packet = try #require(try read(nested, [[7]]))
      #expect(text(packet.payload) == #"["e",{"_placeholder":true,"num":0},1]"#)
      #expect(packet.attachments == [[7]])
    }
  }

  @Test("of a placeholder's members the last of each name counts, however the name is escaped")
  func repeatedNames() throws {
    let last = try read(#"51-["e",{"_placeholder":0,"num":9,"\u005fplaceholder" : true , "num" : 0 }]"#, [[7]])
    #expect(last.map { text($0.payload) } == #"["e",{"_placeholder":true,"num":0}]"#)
    let none = #"["e",{"_placeholder":true,"num":0,"_placeholder":false}]"#
    #expect(try read("51-" + none, [[7]]).map { text($0.payload) } == none)
  }

  @Test("more placeholders than allowed attachments are refused, because each may refer to the largest")
  func manyReferences() throws {
    let ten = Array(repeating: #"{"_placeholder":true,"num":0}"#, count: 10).joined(separator: ",")
    #expect(try read("51-[\(ten)]", [[7]])?.attachments.count == 10)
    #expect(throws: SocketParseError.tooManyAttachments) {
      try read(#"51-[\#(ten),{"_placeholder":true,"num":0}]"#, [[7]])
    }
  }

  @Test("a payload with many names or braces is parsed in one pass", .timeLimit(.minutes(1)))
  func manyNames() throws {
    let names = String(repeating: #""_placeholder":0,"#, count: 60_000)
    #expect(try read(#"51-["e",{\#(names)"a":0}]"#, [[1]])?.attachments == [])
    let deep = String(repeating: #"{"_placeholder":"#, count: 60_000)
    #expect(try read("51-[\(deep)0\(String(repeating: "}", count: 60_000))]", [[1]])?.attachments == [])
  }

  @Test("an object that only looks like a placeholder stays")
  func lookalikes() throws {
    let plain = #"["e",{"_placeholder":true,"num":0}]"#
    #expect(try read("2" + plain).map { text($0.payload) } == plain)
    let falsy = #"["e",{"_placeholder":false,"num":5},"_placeholder",{"a":"\"_placeholder\""}]"#
    #expect(try read("51-" + falsy, [[1]]).map { text($0.payload) } == falsy)
  }

  @Test("zero announced attachments, or none, complete the packet; more than the limit are refused")
  func attachmentCounts() throws {
    for text in [#"50-["e"]"#, #"5-["e"]"#] { #expect(try read(text)?.kind == .event) }
    #expect(throws: SocketParseError.tooManyAttachments) { try read(#"511-["e"]"#) }
  }

  @Test("a text while attachments are missing, and a binary message while none is, are refused")
  func outOfTurn() throws {
    var reader = SocketPacketReader(maxAttachments: 10)
    #expect(throws: SocketParseError.unexpectedAttachment) { try reader.received(binary: [1]) }
    #expect(try reader.received(text: bytes(#"52-["e"]"#)) == nil)
    #expect(try reader.received(binary: [1]) == nil)
    #expect(throws: SocketParseError.attachmentMissing) { try reader.received(text: bytes(#"2["e"]"#)) }
  }

  @Test("an event's name is a text or a number, and not reserved")
  func events() throws {
    func event(_ payload: String) -> SocketEvent? { SocketEvent(SocketPacket(.event, payload: bytes(payload))) }
    #expect(event(#"["a",1,[2]]"#)?.arguments.values.map(text) == ["1", "[2]"])
    #expect(event("[5,1]")?.name == "5")
    for payload in [#"{"a":1}"#, "[]", "[null]", "[[]]", #"["connect"]"#, #"["disconnecting"]"#, "5"] {
      #expect(event(payload) == nil)
    }
  }

  @Test("reserved names are distinguished from all others, however long these are")
  func reservedNames() {
    for name in SocketEvent.reservedNames { #expect(SocketEvent.isReserved(name)) }
    let dear = "e" + String(repeating: "\u{301}\u{327}", count: 100_000)
    for name in ["", "connected", "Connect", "removeListeners", dear] { #expect(!SocketEvent.isReserved(name)) }
  }

  @Test("a part of the arguments keeps only the attachments it refers to")
  func argumentSlices() throws {
    let packet = try #require(
      try read(#"52-["e",{"_placeholder":true,"num":0},2,{"_placeholder":true,"num":1}]"#, [[1], [2]]))
    let arguments = try #require(SocketEvent(packet)).arguments
    let last = arguments[2...]
    #expect(last.attachments == [[2]])
    #expect(last.values.map(text) == [#"{"_placeholder":true,"num":0}"#])
    #expect(arguments[1..<2].attachments.isEmpty)
  }
}
