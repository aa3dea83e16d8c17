/// The objects `{"_placeholder":true,"num":k}` that represent attachments in a payload.
enum Placeholders {
  /// Numbers the placeholders in the order of appearance and sorts the attachments accordingly, so that any part of the payload can be
  /// forwarded. An attachment without a placeholder is dropped; one with two placeholders is duplicated.
  ///
  /// - Parameter limit: The most placeholders, because each of them may refer to the largest attachment.
  static func renumber(_ packet: inout SocketPacket, limit: Int) throws(SocketParseError) {
    let found = occurrences(in: packet.payload)
    guard found.count <= limit else { throw .tooManyAttachments }
    var payload: [UInt8] = []
    var attachments: [[UInt8]] = []
    var copied = 0
    for (number, placeholder) in found.enumerated() {
      guard let index = placeholder.number, packet.attachments.indices.contains(index) else { throw .badPlaceholder }
      payload += packet.payload[copied..<placeholder.range.lowerBound]
      payload += text(number)
      copied = placeholder.range.upperBound
      attachments.append(packet.attachments[index])
    }
    payload += packet.payload[copied...]
    packet.payload = payload
    packet.attachments = attachments
  }

  static func text(_ number: Int) -> [UInt8] {
    Array(#"{"_placeholder":true,"num":\#(number)}"#.utf8)
  }

  struct Occurrence {
    var range: Range<Int>
    /// `nil` if it names no attachment.
    var number: Int?
  }

  /// An unfinished object. If a key occurs twice, the last one counts.
  private struct OpenObject {
    let start: Int
    /// The number of placeholders before it.
    let foundBefore: Int
    var isMarked = false
    var number: Int?
  }

  /// Finds the placeholders in valid JSON. The content of a placeholder belongs to it.
  ///
  /// One pass: each byte is examined a fixed number of times, independent of the depth and the number of members.
  static func occurrences(in json: [UInt8]) -> [Occurrence] {
    var found: [Occurrence] = []
    var open: [OpenObject] = []
    var index = 0
    while index < json.count {
      switch json[index] {
      case UInt8(ascii: "\""):
        let key = index..<endOfString(json, from: index)
        index = key.upperBound
        guard !open.isEmpty, let value = startOfValue(json, behind: index) else { continue }
        read(json, key, value, into: &open[open.count - 1])
        index = value
      case UInt8(ascii: "{"):
        open.append(OpenObject(start: index, foundBefore: found.count))
        index += 1
      case UInt8(ascii: "}"):
        index += 1
        guard let object = open.popLast(), object.isMarked else { continue }
        found.removeLast(found.count - object.foundBefore)
        found.append(Occurrence(range: object.start..<index, number: object.number))
      default:
        index += 1
      }
    }
    return found
  }

  private static func read(_ json: [UInt8], _ key: Range<Int>, _ value: Int, into object: inout OpenObject) {
    // Neither name is longer, however it is escaped, and longer keys may take long to compare.
    guard key.count <= 2 + 6 * "_placeholder".utf8.count else { return }
    switch JSONText.string(json[key]) {
    case "_placeholder": object.isMarked = json[value...].starts(with: "true".utf8)
    case "num":
      // An attachment's number has fewer characters.
      let text = json[value...].prefix(12).prefix { ![0x2c, 0x7d, 0x20, 0x09, 0x0a, 0x0d].contains($0) }
      object.number = text.count < 12 ? JSONText.integer(text) : nil
    default: break
    }
  }

  static func endOfString(_ json: [UInt8], from start: Int) -> Int {
    var index = start + 1
    while index < json.count, json[index] != UInt8(ascii: "\"") {
      index += json[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    return min(index + 1, json.count)
  }

  /// The start of the value, if the string that ends at `end` is a key.
  private static func startOfValue(_ json: [UInt8], behind end: Int) -> Int? {
    func skippingSpace(_ start: Int) -> Int {
      json[start...].firstIndex { ![0x20, 0x09, 0x0a, 0x0d].contains($0) } ?? json.endIndex
    }
    let colon = skippingSpace(end)
    guard colon < json.endIndex, json[colon] == UInt8(ascii: ":") else { return nil }
    let value = skippingSpace(colon + 1)
    return value < json.endIndex ? value : nil
  }
}
