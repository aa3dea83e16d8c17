/// An entry that resembles what is expected, and how it differs.
package struct NearMiss: Sendable {
  package struct Difference: Codable, Equatable, Sendable {
    /// A field of a filter; within JSON a path: `body.user.nick`.
    package let field: String
    /// Nil if it is absent.
    package let was: JSONValue?
    package let expected: JSONValue
  }

  let entry: Int
  let differences: [Difference]
  /// Small if it differs little.
  let cost: Double
  /// The number of compared values.
  let steps: Int

  /// The largest number of differences that are named.
  private static let most = 8

  /// Nil if the entry has less in common with the filter than it differs, or differs in nothing.
  init?(_ entry: inout ReadEntry, of pattern: JournalPattern) {
    guard pattern.kinds.contains(entry.entry.kind) else { return nil }
    var comparison = Comparison()
    for (field, isEqual) in pattern.comparison(with: entry.entry) {
      guard let expected = pattern.filter[field] else { continue }
      let was = entry.entry[field]
      let likeness = isEqual ? 1 : field.mayBeAlike ? was.map { TextLikeness.of($0, expected) } ?? 0 : 0
      comparison.add(weight: field.weight, likeness)
      if !isEqual { comparison.differ(field.rawValue, was.map(field.shown), field.shown(expected)) }
    }
    for (field, expected) in [(JournalFilter.Field.body, pattern.filter.body), (.answer, pattern.filter.answer)] {
      guard let expected else { continue }
      let was = field == .body ? entry.content : entry.answer
      var values = JSONComparison()
      values.compare(was, expected, at: field.rawValue)
      comparison.add(weight: field.weight, 1 - values.cost / Double(max(1, values.count)))
      comparison.steps += values.count
      for difference in values.differences { comparison.differ(difference.field, difference.was, difference.expected) }
    }
    guard !comparison.differences.isEmpty, comparison.alike > 0, comparison.alike >= comparison.cost else { return nil }
    (self.entry, cost, steps) = (entry.entry.number, comparison.cost, comparison.steps)
    differences = Array(comparison.differences.prefix(Self.most))
  }

  /// For people: `content was 'Helo', expected 'Hello'`.
  var words: String { differences.map(\.words).joined(separator: "; ") }

  private struct Comparison {
    var alike = 0.0
    var cost = 0.0
    var steps = 1
    var differences: [Difference] = []

    mutating func add(weight: Double, _ likeness: Double) {
      alike += weight * likeness
      cost += weight * (1 - likeness)
    }

    mutating func differ(_ field: String, _ was: JSONValue?, _ expected: JSONValue) {
      differences.append(Difference(field: field, was: was?.shortened, expected: expected.shortened))
    }
  }
}

extension NearMiss.Difference {
  /// For people. A field of the body is named without `body.`, unless a filter has a field of that name.
  fileprivate var words: String {
    var name = field
    let inBody = field.dropFirst("body.".count)
    if field.hasPrefix("body."), !JournalFilter.names.contains(String(inBody.prefix { $0 != "." && $0 != "[" })) {
      name = String(inBody)
    }
    return "\(name) was \(was?.quoted ?? "absent"), expected \(expected.quoted)"
  }
}

/// Compares JSON with what it must contain.
private struct JSONComparison {
  /// The number of values that must be there.
  private(set) var count = 0
  /// How many of them differ; of a text that differs little, a part.
  private(set) var cost = 0.0
  private(set) var differences: [NearMiss.Difference] = []

  mutating func compare(_ value: JSONValue?, _ expected: JSONValue, at place: String) {
    switch (value, expected) {
    case (.object(let fields)?, .object(let others)) where !others.isEmpty:
      for (name, other) in others.sorted(by: { $0.key < $1.key }) {
        compare(fields[name], other, at: "\(place).\(name)")
      }
    case (.list(let list)?, .list(let others)) where list.count == others.count && !list.isEmpty:
      for (index, other) in others.enumerated() { compare(list[index], other, at: "\(place)[\(index)]") }
    default:
      count += 1
      if let value, value.contains(expected) { return }
      cost += 1
      if case (.text(let text)?, .text(let other)) = (value, expected) { cost -= TextLikeness.of(text, other) }
      differences.append(.init(field: BadCall.shortened(place), was: value, expected: expected))
    }
  }
}

private enum TextLikeness {
  /// How much of a text's beginning and end is compared, in bytes.
  private static let compared = 256

  /// From 0 to less than 1: the part of both texts that is equal at the beginning and at the end.
  static func of(_ text: String, _ other: String) -> Double {
    let length = max(text.utf8.count, other.utf8.count)
    let most = min(text.utf8.count, other.utf8.count, compared)
    let beginning = zip(text.utf8, other.utf8).prefix(most).prefix { $0 == $1 }.count
    let end = zip(text.utf8.reversed(), other.utf8.reversed()).prefix(most - beginning).prefix { $0 == $1 }.count
    return Double(beginning + end) / Double(length + 1)
  }
}

extension JournalFilter.Field {
  /// How much a field says about what an entry is.
  fileprivate var weight: Double {
    switch self {
    case .kind, .operation, .event, .body, .answer: 4
    case .path, .status, .code, .account, .direction, .packet, .namespace: 2
    case .edition, .method, .session, .transport, .fault: 1
    }
  }

  /// A text of the field as it is shown: a status is a number.
  fileprivate func shown(_ text: String) -> JSONValue {
    self == .status ? Int(text).map { .number(Double($0)) } ?? .text(text) : .text(text)
  }

  /// Whether a text that differs little is a small difference.
  fileprivate var mayBeAlike: Bool { [.path, .namespace, .account].contains(self) }
}

extension JSONValue {
  /// The largest text that is shown, in bytes.
  private static let longest = 200

  /// Itself, or the beginning of a long text or of JSON with many values.
  fileprivate var shortened: JSONValue {
    switch self {
    case .text(let text): text.utf8.count > Self.longest ? .text(Self.beginning(of: text)) : self
    case .list, .object: words.utf8.count > Self.longest ? .text(Self.beginning(of: words)) : self
    case .null, .flag, .number: self
    }
  }

  private static func beginning(of text: String) -> String {
    String(decoding: text.utf8.prefix(longest), as: UTF8.self) + "..."
  }

  /// For people, on one line: texts in single quotes, anything else as JSON.
  fileprivate var quoted: String {
    guard case .text(let text) = self else { return words }
    let isPlain = !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    return "'\(isPlain ? text : String(words.dropFirst().dropLast()))'"
  }
}
