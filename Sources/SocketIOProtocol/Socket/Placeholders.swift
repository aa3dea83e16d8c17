/// The objects `{"_placeholder":true,"num":k}` that stand in a payload for its attachments.
enum Placeholders {
  /// Numbers the placeholders in order of appearance and puts the attachments in that order, so that any part of the
  /// payload can travel on. An attachment nobody refers to is dropped; one referred to twice is there twice.
  static func renumber(_ packet: inout SocketPacket) throws(SocketParseError) {
    let found = try occurrences(in: packet.payload)
    var payload: [UInt8] = []
    var attachments: [[UInt8]] = []
    var copied = 0
    for (number, placeholder) in found.enumerated() {
      guard packet.attachments.indices.contains(placeholder.number) else { throw .badPlaceholder }
      payload += packet.payload[copied..<placeholder.range.lowerBound]
      payload += text(number)
      copied = placeholder.range.upperBound
      attachments.append(packet.attachments[placeholder.number])
    }
    payload += packet.payload[copied...]
    packet.payload = payload
    packet.attachments = attachments
  }

  static func text(_ number: Int) -> [UInt8] {
    Array(#"{"_placeholder":true,"num":\#(number)}"#.utf8)
  }

  private struct Occurrence {
    var range: Range<Int>
    var number: Int
  }

  private static let key = Array(#""_placeholder""#.utf8)

  /// Finds placeholders by their key, so that a payload is walked once however deep it is.
  private static func occurrences(in json: [UInt8]) throws(SocketParseError) -> [Occurrence] {
    var found: [Occurrence] = []
    var openBraces: [Int] = []
    var index = 0
    while index < json.count {
      switch json[index] {
      case UInt8(ascii: "\""):
        let end = endOfString(json, from: index)
        if json[index..<end].elementsEqual(key), let start = openBraces.last,
          let placeholder = try placeholder(in: json, from: start)
        {
          found.append(placeholder)
          openBraces.removeLast()
          index = placeholder.range.upperBound
          continue
        }
        index = end
      case UInt8(ascii: "{"):
        openBraces.append(index)
        index += 1
      case UInt8(ascii: "}"):
        openBraces.removeLast()
        index += 1
      default:
        index += 1
      }
    }
    return found
  }

  private static func endOfString(_ json: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < json.count, json[index] != UInt8(ascii: "\"") {
      index += json[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return index + 1
  }

  /// The object that begins at `start`, if its `_placeholder` is true.
  private static func placeholder(in json: [UInt8], from start: Int) throws(SocketParseError) -> Occurrence? {
    var scanner = JSONScanner(json, at: start)
    guard scanner.skipValue() else { throw .badPayload }
    let range = start..<scanner.index
    let object = Array(json[range])
    guard let members = JSONScanner.members(ofObject: object) else { throw .badPayload }
    guard let mark = members.last(where: { $0.key == "_placeholder" }), object[mark.value].elementsEqual("true".utf8)
    else { return nil }
    guard let num = members.last(where: { $0.key == "num" }), let number = JSONText.integer(object[num.value])
    else { throw .badPlaceholder }
    return Occurrence(range: range, number: number)
  }
}
