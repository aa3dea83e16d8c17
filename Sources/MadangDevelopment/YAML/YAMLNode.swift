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

  /// The largest number of values.
  private static let maxParts = 2_000_000

  /// The default for the most separators: 400,000 chats, which an exported seed may have, with commas in their texts.
  static let maxSeparators = 6_000_000

  /// The most bytes of a letter with its marks; readers refuse more (``Swift/StringProtocol/isCheapToCompare``).
  static let maxLetter = 256

  /// - Parameters:
  ///   - maxSeparators: The most signs that may begin a part (``YAMLText``).
  ///   - isCancelled: Asked before each part.
  /// - Throws: ``SeedError`` if the text is neither YAML nor JSON, or too costly to read.
  init(
    parsing text: String, maxSeparators: Int = Self.maxSeparators, isCancelled: () -> Bool = { false }
  ) throws(SeedError) {
    let text = try YAMLText(text, maxSeparators: maxSeparators).text
    guard !isCancelled() else { throw SeedError.cancelled }
    let root: Node?
    do { root = try Yams.compose(yaml: text) } catch {
      throw SeedError(yaml: error, in: text)
    }
    var parts = 0
    guard let root else { throw SeedError(1, "the seed is empty; write {} for a world without people") }
    try self.init(root, counting: &parts, isCancelled)
  }

  private init(_ node: Node, counting parts: inout Int, _ isCancelled: () -> Bool) throws(SeedError) {
    line = node.mark?.line ?? 1
    guard !isCancelled() else { throw SeedError.cancelled }
    parts += 1
    guard parts <= Self.maxParts else { throw SeedError(line, "the seed has more than \(Self.maxParts) parts") }
    switch node {
    case .scalar(let scalar):
      guard scalar.string.isCheapToCompare else { throw SeedError.marks(line) }
      value = scalar.style == .plain && scalar.string.isNullInYAML ? .none : .text(scalar.string)
    case .sequence(let sequence):
      var list: [YAMLNode] = []
      for part in sequence { list.append(try YAMLNode(part, counting: &parts, isCancelled)) }
      value = .list(list)
    case .mapping(let mapping):
      var fields: [(name: String, node: YAMLNode)] = []
      for (key, part) in mapping {
        guard let name = key.string else { throw SeedError(line, "a name of a field must be text") }
        guard name.isCheapToCompare else { throw SeedError.marks(line) }
        fields.append((name, try YAMLNode(part, counting: &parts, isCancelled)))
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
      self.init(context.mark.line, "\(BadCall.shortened(names.min() ?? "")): is written twice in the same object")
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

extension SeedError {
  /// No caller waits for the seed any longer.
  static let cancelled = SeedError(nil, "it was not read to its end: the client has left")

  /// A letter of more than ``YAMLNode/maxLetter`` bytes.
  static func marks(_ line: Int?) -> SeedError {
    SeedError(line, "the text has too many combining marks in a row; a letter with its marks may have 256 bytes")
  }
}

extension String {
  fileprivate var isNullInYAML: Bool {
    switch self {
    case "", "~", "null": true
    default: false
    }
  }
}
