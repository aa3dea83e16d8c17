import SocketIOProtocol
import Yams

/// A part of a seed as it was written, in YAML or JSON, with the line it begins on.
struct SeedNode: Sendable {
  enum Value: Sendable {
    case none
    case text(String)
    case list([SeedNode])
    case fields([(name: String, node: SeedNode)])
  }

  let line: Int
  let value: Value

  /// The most parts of a seed, so that a few names for the same part cannot stand for very many.
  private static let maxParts = 2_000_000

  /// Throws ``SeedError`` if the text is neither YAML nor JSON.
  init(parsing text: String) throws(SeedError) {
    if let name = Self.repeatedAlias(in: Array(text.utf8)) {
      throw SeedError(nil, "names for parts (&\(name), *\(name)) are not taken in seeds; write the part out")
    }
    guard text.isCheapToCompare else { throw SeedError(nil, "the text has too many combining marks in a row") }
    let root: Node?
    do { root = try Yams.compose(yaml: text) } catch {
      throw SeedError(yaml: error, in: text)
    }
    var parts = 0
    guard let root else { throw SeedError(1, "the seed is empty; write {} for a world without anybody") }
    try self.init(root, counting: &parts)
  }

  /// A name that stands behind `&` and behind `*`, however long: what is named so may stand for itself so often that nobody can
  /// read it.
  private static func repeatedAlias(in text: [UInt8]) -> String? {
    var names: [UInt8: Set<ArraySlice<UInt8>>] = [:]
    for (index, byte) in text.enumerated() where byte == UInt8(ascii: "&") || byte == UInt8(ascii: "*") {
      let name = text[(index + 1)...].prefix(while: isOfName)
      if !name.isEmpty { names[byte, default: []].insert(name) }
    }
    let both = names[UInt8(ascii: "&")]?.first { names[UInt8(ascii: "*")]?.contains($0) ?? false }
    return both.map { String(decoding: $0.prefix(shownName), as: UTF8.self) }
  }

  /// As many bytes of a name are told.
  private static let shownName = 100

  /// Whether libyaml takes a byte for a part of such a name.
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
      var list: [SeedNode] = []
      for part in sequence { list.append(try SeedNode(part, counting: &parts)) }
      value = .list(list)
    case .mapping(let mapping):
      var fields: [(name: String, node: SeedNode)] = []
      for (key, part) in mapping {
        guard let name = key.string else { throw SeedError(line, "a name of a field must be text") }
        fields.append((name, try SeedNode(part, counting: &parts)))
      }
      value = .fields(fields)
    case .alias:
      throw SeedError(line, "names for parts (&, *) are not taken in seeds; write the part out")
    }
  }
}

/// What is wrong with a seed: the line, the cause and the cure.
package struct SeedError: Error, CustomStringConvertible, Equatable {
  /// From 1; nil if it is of no line.
  package let line: Int?
  package let message: String

  init(_ line: Int?, _ message: String) { (self.line, self.message) = (line, message) }

  fileprivate init(yaml error: any Error, in text: String) {
    switch error as? YamlError {
    case .scanner(_, _, let mark, _)? where Self.isTab(at: mark, of: text):
      self.init(mark.line, "a tab stands before the text; YAML takes only spaces there")
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
