/// Converts JSON to MessagePack, with attachments instead of their placeholders.
///
/// It runs two passes, because an array starts with the number of its items: the first counts, the second writes. Both see the same tokens,
/// so invalid JSON only produces invalid MessagePack.
struct JSONToMessagePack {
  private let json: [UInt8]
  private let attachments: [[UInt8]]
  private let placeholders: [Placeholders.Occurrence]
  private var message: [UInt8]

  /// - Returns: `message`, followed by the value.
  static func append(_ json: [UInt8], attachments: [[UInt8]], to message: inout [UInt8]) {
    var writer = JSONToMessagePack(json, attachments, message)
    message = []
    writer.write(counts: writer.counts())
    message = writer.message
  }

  private init(_ json: [UInt8], _ attachments: [[UInt8]], _ message: [UInt8]) {
    self.json = json
    self.attachments = attachments
    self.message = message
    placeholders = attachments.isEmpty ? [] : Placeholders.occurrences(in: json)
  }

  private enum Token {
    case array
    case object
    case end
    case comma
    case string(Range<Int>)
    /// A number, or one of the literals.
    case word(Range<Int>)
    case attachment(Int)
  }

  private struct Place {
    var index = 0
    /// The index of the next placeholder.
    var placeholder = 0
  }

  /// Returns the token at a place, and moves the place behind it; `nil` at the end.
  private func next(_ place: inout Place) -> Token? {
    while place.index < json.count {
      let start = place.index
      place.index += 1
      switch json[start] {
      case UInt8(ascii: "{"): return attachment(at: start, &place) ?? .object
      case UInt8(ascii: "["): return .array
      case UInt8(ascii: "}"), UInt8(ascii: "]"): return .end
      case UInt8(ascii: ","): return .comma
      case UInt8(ascii: ":"), 0x20, 0x09, 0x0a, 0x0d: continue
      case UInt8(ascii: "\""):
        place.index = Placeholders.endOfString(json, from: start)
        return .string(start..<place.index)
      default:
        while place.index < json.count, !Self.endsWord(json[place.index]) { place.index += 1 }
        return .word(start..<place.index)
      }
    }
    return nil
  }

  private static func endsWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "]"), UInt8(ascii: "}"), 0x20, 0x09, 0x0a, 0x0d: true
    default: false
    }
  }

  private func attachment(at start: Int, _ place: inout Place) -> Token? {
    guard place.placeholder < placeholders.count, placeholders[place.placeholder].range.lowerBound == start else {
      return nil
    }
    let occurrence = placeholders[place.placeholder]
    place.placeholder += 1
    guard let number = occurrence.number, attachments.indices.contains(number) else { return nil }
    place.index = occurrence.range.upperBound
    return .attachment(number)
  }

  /// The number of items or pairs of each array and object, in the order in which they begin.
  private func counts() -> [Int] {
    var counts: [Int] = []
    var open: [Int] = []
    var place = Place()
    // Whether only the head of the container was read: if it ends here, it is empty.
    var isAtHead = false
    while let token = next(&place) {
      switch token {
      case .end:
        if !isAtHead, let number = open.last { counts[number] += 1 }
        open.removeLast(open.isEmpty ? 0 : 1)
      case .comma:
        if let number = open.last { counts[number] += 1 }
      case .array, .object:
        open.append(counts.count)
        counts.append(0)
        isAtHead = true
        continue
      case .string, .word, .attachment: break
      }
      isAtHead = false
    }
    return counts
  }

  private mutating func write(counts: [Int]) {
    var place = Place()
    var container = 0
    while let token = next(&place) {
      switch token {
      case .array, .object:
        if case .array = token {
          MessagePack.appendArray(counts[container], to: &message)
        } else {
          MessagePack.appendMap(counts[container], to: &message)
        }
        container += 1
      case .string(let range): writeString(json[range])
      case .word(let range): MessagePack.appendWord(json[range], to: &message)
      case .attachment(let number): MessagePack.appendBinary(attachments[number], to: &message)
      case .end, .comma: break
      }
    }
  }

  private mutating func writeString(_ quoted: ArraySlice<UInt8>) {
    let inner = quoted.dropFirst().dropLast()
    guard inner.contains(UInt8(ascii: "\\")) else { return MessagePack.appendString(inner, to: &message) }
    MessagePack.appendString((JSONText.string(quoted) ?? "").utf8, to: &message)
  }
}
