import Foundation

/// Any JSON, for exact comparison in tests.
package enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(Double)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  package init(_ bytes: some DataProtocol) throws {
    self = try JSONDecoder().decode(JSON.self, from: Data(bytes))
  }

  package subscript(_ key: String) -> JSON? {
    if case .object(let object) = self { object[key] } else { nil }
  }

  package subscript(_ index: Int) -> JSON? {
    if case .list(let list) = self, list.indices.contains(index) { list[index] } else { nil }
  }

  package var string: String? { if case .text(let text) = self { text } else { nil } }
  package var int: Int? { if case .number(let number) = self { Int(exactly: number) } else { nil } }
  /// An id of either edition as it appears in paths.
  package var id: String? { string ?? int.map(String.init) }
  package var list: [JSON]? { if case .list(let list) = self { list } else { nil } }
  package var keys: Set<String>? { if case .object(let object) = self { Set(object.keys) } else { nil } }
}

extension JSON: Codable {
  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Double.self) {
      self = .number(value)
    } else if let value = try? container.decode(String.self) {
      self = .text(value)
    } else if let value = try? container.decode([JSON].self) {
      self = .list(value)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .number(let value): try container.encode(value)
    case .text(let value): try container.encode(value)
    case .list(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral, ExpressibleByBooleanLiteral
{
  package init(stringLiteral value: String) { self = .text(value) }
  package init(integerLiteral value: Int) { self = .number(Double(value)) }
  package init(arrayLiteral elements: JSON...) { self = .list(elements) }
  package init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(uniqueKeysWithValues: elements))
  }
  package init(nilLiteral: ()) { self = .null }
  package init(booleanLiteral value: Bool) { self = .bool(value) }
}
