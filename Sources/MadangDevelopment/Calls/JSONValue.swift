import Foundation
import SocketIOProtocol

/// Any JSON.
package enum JSONValue: Codable, Equatable, Sendable {
  case null
  case flag(Bool)
  case number(Double)
  case text(String)
  case list([JSONValue])
  case object([String: JSONValue])

  /// Nil if the bytes are no JSON, or nested too deep for reading.
  init?(_ bytes: [UInt8]) {
    guard let value = try? ForeignJSON.decode(Self.self, from: bytes) else { return nil }
    self = value
  }

  /// Nil if the text is no JSON.
  package init?(text: String) { self.init(Array(text.utf8)) }

  package init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Double.self) {
      self = .number(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([JSONValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: JSONValue].self))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .flag(let flag): try container.encode(flag)
    case .number(let number): try container.encode(number)
    case .text(let text): try container.encode(text)
    case .list(let list): try container.encode(list)
    case .object(let fields): try container.encode(fields)
    }
  }

  /// Whether this has everything that another value has: of objects the fields, of lists each element at its place. All else
  /// must be equal.
  func contains(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let fields), .object(let others)):
      others.allSatisfy { name, value in fields[name]?.contains(value) ?? false }
    case (.list(let list), .list(let others)):
      list.count == others.count && zip(list, others).allSatisfy { $0.contains($1) }
    // Clients choose the texts.
    case (.text(let text), .text(let other)) where !text.isCheapToCompare || !other.isCheapToCompare:
      text.utf8.elementsEqual(other.utf8)
    default: self == other
    }
  }

  /// As JSON, for people.
  var words: String {
    (try? DevelopmentJSON.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "?"
  }
}
