import SocketIOProtocol
import Yams

/// A part of a seed's YAML or JSON, with its first line.
struct YAMLNode: Sendable {
  enum Value: Sendable {
    case none
    case text(String)
    case list([YAMLNode])
    case fields([(name: String, node: YAMLNode)])
  }

  let line: Int
  let value: Value

  /// The largest number of parts, so that a few aliases cannot expand to very many.
  private static let maxParts = 2_000_000

  /// The most bytes of a letter with its marks; readers refuse more (``Swift/StringProtocol/isCheapToCompare``).
  static let maxLetter = 256

  /// Throws ``SeedError`` if the text is neither YAML nor JSON.
  init(parsing text: String) throws(SeedError) {
    if let name = Self.repeatedAlias(in: Array(text.utf8)) {
      throw SeedError(nil, "anchors and aliases (&\(name), *\(name)) are not allowed; write the part out")
    }
    guard text.isCheapToCompare else { throw SeedError(nil, "the text has too many combining marks in a row") }
    let root: Node?
    do { root = try Yams.compose(yaml: text.withoutSurrogates) } catch {
      throw SeedError(yaml: error, in: text)
    }
    var parts = 0
    guard let root else { throw SeedError(1, "the seed is empty; write {} for a world without people") }
    try self.init(root, counting: &parts)
  }

  /// The name of an anchor (`&`) or alias (`*`). Nested aliases could expand to more text than memory can hold.
  private static func repeatedAlias(in text: [UInt8]) -> String? {
    var names: [UInt8: Set<ArraySlice<UInt8>>] = [:]
    for (index, byte) in text.enumerated() where byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*") {
      let name = text[(index + 1)...].prefix(while: isOfName)
      if !name.isEmpty { names[byte, default: []].insert(name) }
    }
    let both = names[UInt8(ascii: "&")]?.first { names[UInt8(ascii: "*")]?.contains($0) ?? false }
    return both.map { String(decoding: $0.prefix(shownName), as: UTF8.self) }
  }

  /// How many bytes of a name are shown in an error.
  private static let shownName = 100

  /// Whether libyaml accepts a byte in such a name.
  private static func isOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private init(_ node: Node, counting parts: inout Int) throws(SeedError) {
    line = node.mark?.line ?? 1
    parts += 1
    guard parts <= Self.maxParts else { throw SeedError(line, "the seed has more than \(Self.maxParts) parts") }
    switch node {
    case .scalar(let scalar):
      let isNone = scalar.style == .plain && ["", "~", "null"].contains(scalar.string)
      value = isNone ? .none : .text(scalar.string)
    case .sequence(let sequence):
      var list: [YAMLNode] = []
      for part in sequence { list.append(try YAMLNode(part, counting: &parts)) }
      value = .list(list)
    case .mapping(let mapping):
      var fields: [(name: String, node: YAMLNode)] = []
      for (key, part) in mapping {
        guard let name = key.string else { throw SeedError(line, "a name of a field must be text") }
        fields.append((name, try YAMLNode(part, counting: &parts)))
      }
      value = .fields(fields)
    case .alias:
      throw SeedError(line, "anchors and aliases (&, *) are not allowed; write the part out")
    }
  }
}

/// An error in a seed: the line, the cause and the cure.
package struct SeedError: Error, CustomStringConvertible, Equatable {
  /// From 1; nil if it concerns no line.
  package let line: Int?
  package let message: String

  init(_ line: Int?, _ message: String) { (self.line, self.message) = (line, message) }

  fileprivate init(yaml error: any Error, in text: String) {
    switch error as? YamlError {
    case .scanner(_, _, let mark, _)? where Self.isTab(at: mark, of: text):
      self.init(mark.line, "a tab before the text; YAML allows only spaces there")
    case .parser(_, let problem, let mark, _)?, .scanner(_, let problem, let mark, _)?,
      .composer(_, let problem, let mark, _)?:
      self.init(mark.line, "column \(mark.column): neither YAML nor JSON: \(problem)")
    case .duplicatedKeysInMapping(let names, let context)?:
      self.init(context.mark.line, "\(names.sorted().joined(separator: ", ")): is written twice in the same object")
    case .reader(let problem, _, _, _)?: self.init(nil, "the seed cannot be read: \(problem)")
    default: self.init(nil, "neither YAML nor JSON: \(error)")
    }
  }

  private static func isTab(at mark: Mark, of text: String) -> Bool {
    let lines = text.utf8.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    guard lines.indices.contains(mark.line - 1) else { return false }
    return lines[mark.line - 1].dropFirst(mark.column - 1).first == UInt8(ascii: "\t")
  }

  package var description: String { line.map { "line \($0): \(message)" } ?? message }
}

extension String {
  /// JSON writes characters beyond U+FFFF as two escapes, a surrogate pair, which YAML does not know: they become one.
  fileprivate var withoutSurrogates: String {
    let bytes = Array(utf8)
    var result: [UInt8] = []
    // The text up to the last examined escape.
    var copied = 0
    var index = 0
    while index + 1 < bytes.count {
      guard bytes[index] == UInt8(ascii: "\\") else {
        index += 1
        continue
      }
      if let high = Self.unit(at: index, of: bytes), 0xD800..<0xDC00 ~= high,
        let low = Self.unit(at: index + 6, of: bytes), 0xDC00..<0xE000 ~= low
      {
        let hex = String(0x10000 + (high - 0xD800) << 10 + (low - 0xDC00), radix: 16, uppercase: true)
        result += bytes[copied..<index] + Array("\\U\(String(repeating: "0", count: 8 - hex.count))\(hex)".utf8)
        index += 12
        copied = index
      } else {
        // An escaped backslash does not begin an escape.
        index += 2
      }
    }
    return copied == 0 ? self : String(decoding: result + bytes[copied...], as: UTF8.self)
  }

  /// The number of an escape `\uXXXX`.
  private static func unit(at index: Int, of bytes: [UInt8]) -> UInt32? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u") else {
      return nil
    }
    return UInt32(String(decoding: bytes[(index + 2)..<(index + 6)], as: UTF8.self), radix: 16)
  }
}
