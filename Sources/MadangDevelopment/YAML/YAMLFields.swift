import MadangAPI
import MadangCore

/// The fields of a part of a seed. Reading a value of another form throws ``SeedError``.
struct YAMLFields {
  let line: Int
  private let fields: [String: YAMLNode]

  /// - Parameters:
  ///   - what: The name of such a part in errors.
  ///   - known: All fields that it may have.
  init(_ node: YAMLNode, _ what: String, _ known: [String]) throws(SeedError) {
    guard case .fields(let fields) = node.value else {
      throw SeedError(
        node.line, "\(what) must be written with its fields, {field: value}; it has \(known.joined(separator: ", "))")
    }
    var found: [String: YAMLNode] = [:]
    for (name, node) in fields {
      guard known.contains(name) else {
        throw SeedError(
          node.line, "\(what) has no field '\(BadCall.shortened(name))'; it has \(known.joined(separator: ", "))")
      }
      found[name] = node
    }
    (line, self.fields) = (node.line, found)
  }

  /// The field, unless it is absent or null.
  func node(_ name: String) -> YAMLNode? {
    guard let node = fields[name] else { return nil }
    if case .none = node.value { return nil }
    return node
  }

  func line(_ name: String) -> Int { fields[name]?.line ?? line }

  func text(_ name: String) throws(SeedError) -> String? {
    guard let node = node(name) else { return nil }
    return try node.text(name)
  }

  /// A text that is compared with others.
  func shortText(_ name: String) throws(SeedError) -> String? { try node(name)?.shortText(name) }

  func text(_ name: String, as kind: Planting.Text) throws(SeedError) -> String? {
    guard let text = try text(name) else { return nil }
    if let problem = Planting.problem(with: text, as: kind) { throw SeedError(line(name), problem) }
    return text
  }

  func number(_ name: String, in range: ClosedRange<Int>) throws(SeedError) -> Int? {
    guard let text = try text(name) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw SeedError(line(name), "\(name): a whole number from \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func flag(_ name: String) throws(SeedError) -> Bool {
    switch try text(name) {
    case nil, "false": return false
    case "true": return true
    default: throw SeedError(line(name), "\(name): true or false")
    }
  }

  func list(_ name: String) throws(SeedError) -> [YAMLNode] {
    guard let node = node(name) else { return [] }
    guard case .list(let list) = node.value else {
      throw SeedError(node.line, "\(name): a list, as [...] or with - before each part")
    }
    return list
  }

  /// A moment: a date with its zone, or a distance from `start` like `-2h`.
  func moment(_ name: String, from start: Int64) throws(SeedError) -> Int64? {
    guard let text = try text(name) else { return nil }
    let moment = TimeText.distance(text).map { start + $0 } ?? TimeText.date(text)
    guard let moment, (0...Clock.latest).contains(moment) else {
      throw SeedError(
        line(name),
        "\(name): a distance from the world's time like -90s, -5m, -2h or -3d, or a date like 2026-01-05T09:00:00Z")
    }
    return moment
  }

  /// A length of time like `45s`, in milliseconds.
  func span(_ name: String) throws(SeedError) -> Int64? {
    guard let text = try text(name) else { return nil }
    guard let span = LengthOfTime.milliseconds(text), span > 0 else {
      throw SeedError(line(name), "\(name): \(GivenTime.form)")
    }
    return span
  }
}

extension YAMLNode {
  func text(_ name: String) throws(SeedError) -> String {
    guard case .text(let text) = value else { throw SeedError(line, "\(name): one value, not a list or an object") }
    return text
  }

  /// The most bytes of a name: of a person, place or script.
  private static let maxName = 1000

  /// A text that is compared with others.
  func shortText(_ name: String) throws(SeedError) -> String {
    let text = try text(name)
    guard text.utf8.count <= Self.maxName else { throw SeedError(line, "\(name): \(Self.maxName) bytes at most") }
    return text
  }
}

/// Times in seeds and calls.
package enum TimeText {
  /// Milliseconds of a distance like `-2h`, `45s` or `0`, in the units of ``LengthOfTime``; nil for another text.
  package static func distance(_ text: String) -> Int64? {
    let length = "+-".contains(text.prefix(1)) && !text.isEmpty ? text.dropFirst() : text[...]
    return LengthOfTime.milliseconds(length, needsUnit: true).map { text.hasPrefix("-") ? -$0 : $0 }
  }

  /// Milliseconds since 1970 of a date with its zone; nil for another text.
  package static func date(_ text: String) -> Int64? {
    guard let label = try? Cursor.label(text, zoneless: 0) else { return nil }
    return label
  }
}
