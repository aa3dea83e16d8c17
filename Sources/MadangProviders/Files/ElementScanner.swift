import SocketIOProtocol

/// An XML element: its name without a prefix, its text, and its child elements. Attributes are ignored.
struct Element: Equatable {
  var name: String
  var text = ""
  var children: [Element] = []

  /// The text of the first child of this name.
  subscript(_ name: String) -> String? { children.first { $0.name == name }?.text }
}

/// Parses the small documents of S3 answers. It supports elements, text, the five named entities, numeric ones, comments,
/// `CDATA` and skipped declarations; no document types, so nothing expands.
///
/// Memory is a multiple of the input, which the caller limits; elements may be nested ``maxDepth`` deep. Names are ASCII,
/// and a letter in text has a limited number of marks, so comparisons cost no more than their length.
struct ElementScanner {
  struct Malformed: Error, Equatable {
    let reason: String
  }

  static let maxDepth = 16

  private let bytes: [UInt8]
  private var position = 0

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The root element of the document.
  static func read(_ bytes: [UInt8]) throws(Malformed) -> Element {
    guard String(validating: bytes, as: UTF8.self) != nil else { throw Malformed(reason: "it is not UTF-8") }
    var scanner = ElementScanner(bytes)
    return try scanner.document()
  }

  private mutating func document() throws(Malformed) -> Element {
    // Open elements, the innermost last; the first one holds the root.
    var open = [Element(name: "")]
    while position < bytes.count {
      if bytes[position] != UInt8(ascii: "<") {
        let text = try readText()
        // Spaces between elements are not text.
        if open.count > 1 {
          open[open.count - 1].text += text
        } else if !isBlank(text) {
          throw Malformed(reason: "text")
        }
      } else if skip("<!--") {
        _ = try upTo("-->")
      } else if skip("<![CDATA[") {
        open[open.count - 1].text += String(decoding: try upTo("]]>"), as: UTF8.self)
      } else if skip("<?") {
        _ = try upTo("?>")
      } else if skip("</") {
        let name = try Self.local(try upTo(">"))
        let ended = open.removeLast()
        guard ended.name == name, !open.isEmpty else { throw Malformed(reason: "an end without a begin") }
        guard ended.text.isCheapToCompare else { throw Malformed(reason: "a letter with too many marks") }
        open[open.count - 1].children.append(ended)
      } else if skip("<!") {
        throw Malformed(reason: "a document type")
      } else {
        position += 1
        let (tag, isEmpty) = try readTag()
        if isEmpty {
          open[open.count - 1].children.append(tag)
        } else {
          guard open.count <= Self.maxDepth else { throw Malformed(reason: "too deep") }
          open.append(tag)
        }
      }
    }
    guard open.count == 1, open[0].children.count == 1 else { throw Malformed(reason: "not one element") }
    return open[0].children[0]
  }

  /// The text after a `<`, up to its `>`; a quoted attribute may contain one.
  private mutating func readTag() throws(Malformed) -> (Element, isEmpty: Bool) {
    let start = position
    var quote: UInt8?
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case _ where quote != nil: if byte == quote { quote = nil }
      case UInt8(ascii: "\""), UInt8(ascii: "'"): quote = byte
      case UInt8(ascii: ">"):
        let inside = bytes[start..<position - 1]
        let name = try Self.local(inside.last == UInt8(ascii: "/") ? inside.dropLast() : inside)
        guard !name.isEmpty else { throw Malformed(reason: "an element without a name") }
        return (Element(name: name), inside.last == UInt8(ascii: "/"))
      default: break
      }
    }
    throw Malformed(reason: "cut off")
  }

  /// A name without prefix and attributes.
  private static func local(_ tag: ArraySlice<UInt8>) throws(Malformed) -> String {
    let name = tag.prefix { $0 > 0x20 }
    guard name.allSatisfy({ $0 < 0x80 }) else { throw Malformed(reason: "a name that is not ASCII") }
    return String(
      decoding: name[(name.lastIndex(of: UInt8(ascii: ":")).map { $0 + 1 } ?? name.startIndex)...], as: UTF8.self)
  }

  private mutating func readText() throws(Malformed) -> String {
    var result: [UInt8] = []
    while position < bytes.count, bytes[position] != UInt8(ascii: "<") {
      if bytes[position] == UInt8(ascii: "&") {
        position += 1
        result += try entity()
      } else {
        result.append(bytes[position])
        position += 1
      }
    }
    return String(decoding: result, as: UTF8.self)
  }

  /// The text after a `&`, up to its `;`.
  private mutating func entity() throws(Malformed) -> [UInt8] {
    guard let end = bytes[position...].prefix(12).firstIndex(of: UInt8(ascii: ";")) else {
      throw Malformed(reason: "an entity without an end")
    }
    let name = String(decoding: bytes[position..<end], as: UTF8.self)
    position = end + 1
    let named = ["amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'"]
    if let text = named[name] { return Array(text.utf8) }
    let number =
      name.hasPrefix("#x") ? UInt32(name.dropFirst(2), radix: 16) : name.hasPrefix("#") ? UInt32(name.dropFirst()) : nil
    guard let scalar = number.flatMap(Unicode.Scalar.init) else { throw Malformed(reason: "an unknown entity") }
    return Array(String(Character(scalar)).utf8)
  }

  private func isBlank(_ text: String) -> Bool { text.utf8.allSatisfy { $0 <= 0x20 } || text == "\u{FEFF}" }

  private mutating func skip(_ text: StaticString) -> Bool {
    let matches = text.withUTF8Buffer { bytes[position...].starts(with: $0) }
    if matches { position += text.utf8CodeUnitCount }
    return matches
  }

  /// The text before the next occurrence of another text, which is skipped.
  private mutating func upTo(_ end: StaticString) throws(Malformed) -> ArraySlice<UInt8> {
    let start = position
    while position < bytes.count {
      let found = position
      if skip(end) { return bytes[start..<found] }
      position += 1
    }
    throw Malformed(reason: "cut off")
  }
}
