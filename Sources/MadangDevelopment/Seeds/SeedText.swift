import MadangAPI
import SocketIOProtocol

/// A part of a seed that is written in one line.
enum SeedValue: Sendable {
  /// Text by people, quoted if necessary.
  case text(String)
  /// Text that YAML does not require to quote.
  case word(String)
  /// A number, a flag.
  case plain(String)
  case list([SeedValue])
  case fields([(String, SeedValue)])
}

/// The text of a seed as it is written, part by part, in YAML or JSON.
struct SeedText {
  enum Format: String {
    case yaml, json
  }

  private let format: Format
  private var text = ""
  /// Of the fields that are written now.
  private var indent = 0
  /// Whether the next field begins an item of a list.
  private var beginsItem = false
  /// JSON: whether nothing stands yet in the object or list that is open, and in those around it.
  private var isFirst = [true]

  /// - Parameter head: Lines of a comment, which JSON does not have.
  init(_ format: Format, head: [String]) {
    self.format = format
    text = format == .json ? "{" : head.map { "# \($0)\n" }.joined()
  }

  var size: Int { text.utf8.count }

  mutating func take() -> [UInt8] {
    defer { text = "" }
    return Array(text.utf8)
  }

  mutating func field(_ name: String, _ value: SeedValue) {
    begin(name)
    text += format == .yaml ? " \(value.text(format))\n" : value.text(format)
  }

  /// A list follows, item by item, until ``closeList()``.
  mutating func openList(_ name: String) {
    begin(name)
    text += format == .yaml ? "\n" : "["
    isFirst.append(true)
    indent += 2
  }

  mutating func closeList() {
    indent -= 2
    isFirst.removeLast()
    if format == .json { text += "]" }
  }

  mutating func item(_ value: SeedValue) {
    separate()
    text += format == .yaml ? "\(blanks)- \(value.text(format))\n" : value.text(format)
  }

  /// An item with fields follows, until ``closeItem()``; it has one at least.
  mutating func openItem() {
    separate()
    if format == .json { text += "{" }
    isFirst.append(true)
    beginsItem = true
    indent += 2
  }

  mutating func closeItem() {
    indent -= 2
    isFirst.removeLast()
    if format == .json { text += "}" }
  }

  mutating func end() { if format == .json { text += "}\n" } }

  private var blanks: String { String(repeating: " ", count: indent) }

  private mutating func begin(_ name: String) {
    separate()
    switch format {
    case .yaml:
      text += beginsItem ? blanks.dropLast(2) + "- \(name):" : "\(blanks)\(name):"
      beginsItem = false
    case .json: text += "\"\(name)\":"
    }
  }

  private mutating func separate() {
    guard format == .json else { return }
    if isFirst[isFirst.count - 1] { isFirst[isFirst.count - 1] = false } else { text += "," }
  }
}

extension SeedValue {
  fileprivate func text(_ format: SeedText.Format) -> String {
    switch self {
    case .plain(let text): text
    case .word(let text): format == .yaml ? text : text.quoted(format)
    case .text(let text): format == .yaml && text.isPlain ? text : text.quoted(format)
    case .list(let list): "[" + list.map { $0.text(format) }.joined(separator: format == .yaml ? ", " : ",") + "]"
    case .fields(let fields):
      "{"
        + fields.map { name, value in
          format == .yaml ? "\(name): \(value.text(format))" : "\"\(name)\":\(value.text(format))"
        }.joined(separator: format == .yaml ? ", " : ",") + "}"
    }
  }
}

extension String {
  /// Whether YAML takes it for this text without quotation marks: a word, that means nothing else.
  fileprivate var isPlain: Bool {
    guard let first = utf8.first, UInt8(ascii: "a")...UInt8(ascii: "z") ~= first | 0x20 else { return false }
    guard !["null", "true", "false"].contains(lowercased()) else { return false }
    return utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "@"),
        UInt8(ascii: "-"):
        true
      default: false
      }
    }
  }

  /// A string between quotation marks. What cannot be seen is escaped, but for what joins emoji; so are names for parts (`&`, `*`), which
  /// readers of seeds refuse. Of a letter with more marks than they accept, the first are written, then U+FFFD. Yams drops a byte order mark
  /// that a text begins with, escaped or not, so such a text is written with one more.
  fileprivate func quoted(_ format: SeedText.Format) -> String {
    let isCheap = isCheapToCompare
    var text = "\""
    if unicodeScalars.first == "\u{FEFF}" { text += Unicode.Scalar("\u{FEFF}").escaped(format) }
    for character in self {
      let hasManyMarks = !isCheap && character.utf8.count > YAMLNode.maxLetter
      var size = 0
      for scalar in character.unicodeScalars {
        size += UTF8.width(scalar)
        guard !hasManyMarks || size <= YAMLNode.maxLetter else {
          text += "\u{FFFD}"
          break
        }
        switch scalar {
        case "\"": text += "\\\""
        case "\\": text += "\\\\"
        case "\n": text += "\\n"
        case "\t": text += "\\t"
        case "\r": text += "\\r"
        case "&", "*", "\u{0}"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{AD}", "\u{200B}", "\u{200E}"..."\u{200F}",
          "\u{2028}"..."\u{202E}", "\u{2060}"..."\u{206F}", "\u{FEFF}", "\u{FFFE}"..."\u{FFFF}":
          text += scalar.escaped(format)
        default: text.unicodeScalars.append(scalar)
        }
      }
    }
    return text + "\""
  }
}

extension Unicode.Scalar {
  /// JSON has a pair of escapes where YAML has a longer one.
  fileprivate func escaped(_ format: SeedText.Format) -> String {
    if value > 0xFFFF, format == .yaml { return "\\U" + Self.hex(value, digits: 8) }
    return utf16.map { "\\u" + Self.hex(UInt32($0), digits: 4) }.joined()
  }

  private static func hex(_ value: UInt32, digits: Int) -> String {
    let hex = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: digits - hex.count) + hex
  }
}
