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
        throw SeedError(node.line, "\(what) has no field '\(name)'; it has \(known.joined(separator: ", "))")
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
    guard let span = TimeText.distance(text), span > 0 else {
      throw SeedError(line(name), "\(name): a length of time like 500ms, 45s, 5m, 2h or 1d")
    }
    return span
  }
}

extension YAMLNode {
  func text(_ name: String) throws(SeedError) -> String {
    guard case .text(let text) = value else { throw SeedError(line, "\(name): one value, not a list or an object") }
    return text
  }
}

/// Times in seeds and calls.
package enum TimeText {
  private static let units: [(String, Int64)] = [
    ("ms", 1), ("s", 1000), ("m", 60_000), ("h", 3_600_000), ("d", 86_400_000), ("w", 7 * 86_400_000),
  ]

  /// Milliseconds of a distance like `-2h`, `45s` or `0`; nil for another text.
  package static func distance(_ text: String) -> Int64? {
    if text == "0" { return 0 }
    let digits = text.drop { $0 == "-" || $0 == "+" }.prefix(while: \.isASCIIDigit)
    let sign: Int64 = text.hasPrefix("-") ? -1 : 1
    let unit = text.drop { !$0.isASCIILetter }
    guard let number = Int64(digits), let factor = units.first(where: { $0.0 == unit })?.1,
      text == (text.first.map { "+-".contains($0) } ?? false ? String(text.prefix(1)) : "") + digits + unit
    else { return nil }
    let (product, overflows) = number.multipliedReportingOverflow(by: factor)
    return overflows || product > Clock.latest ? nil : sign * product
  }

  /// A distance as ``distance(_:)`` reads it, in the largest unit that is exact.
  package static func text(ofDistance milliseconds: Int64) -> String {
    guard milliseconds != 0 else { return "0" }
    let unit = units.dropLast().last { milliseconds % $0.1 == 0 } ?? units[0]
    return "\(milliseconds / unit.1)\(unit.0)"
  }

  /// Milliseconds since 1970 of a date with its zone; nil for another text.
  package static func date(_ text: String) -> Int64? {
    guard let label = try? Cursor.label(text, zoneless: 0) else { return nil }
    return label
  }
}

extension Character {
  fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
  fileprivate var isASCIILetter: Bool { ("a"..."z").contains(self) }
}
