import SocketIOProtocol
import Testing

@Suite("Placeholders of binary attachments in values")
struct BinaryPlaceholderTests {
  private struct Photo: Codable, Equatable {
    var title: String
    var image: BinaryPlaceholder
  }

  @Test(
    "an encoded placeholder still refers to its attachment when decoded", arguments: [SocketParser.json, .msgpack])
  func values(parser: SocketParser) throws {
    var arguments = try SocketArguments(encoding: 1, Photo(title: "a", image: BinaryPlaceholder(0)))
    arguments.attachments = [[7, 8]]
    let sent = SocketPacket.event("e", arguments: arguments.joined, attachments: arguments.attachments)
    var reader = SocketPacketReader(parser: parser, maxAttachments: 1)
    var packet: SocketPacket?
    for message in sent.messages(parser) { packet = try reader.received(message) }
    let received = try #require(packet.flatMap { SocketEvent($0) }).arguments
    let photo = try received.decode(Photo.self, at: 1)
    #expect(photo == Photo(title: "a", image: BinaryPlaceholder(0)))
    #expect(received.attachment(for: photo.image) == [7, 8])
  }

  @Test("an invented placeholder has no attachment", arguments: [-1, 1, Int.max])
  func madeUp(number: Int) {
    let arguments = SocketArguments([BinaryPlaceholder(number).json], attachments: [[7]])
    #expect(arguments.attachment(for: BinaryPlaceholder(number)) == nil)
  }

  @Test(
    "other values are not decoded as placeholders",
    arguments: [#"{"_placeholder":false,"num":0}"#, #"{"num":0}"#, #"{"_placeholder":true}"#, "0"])
  func lookalikes(text: String) {
    let arguments = SocketArguments([bytes(text)], attachments: [[7]])
    #expect(throws: DecodingError.self) { try arguments.decode(BinaryPlaceholder.self) }
  }
}
