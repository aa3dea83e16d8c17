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

  /// Nil if the bytes are not JSON or are nested too deeply.
  init?(_ bytes: [UInt8]) {
    guard let value = try? ForeignJSON.decode(Self.self, from: bytes) else { return nil }
    self = value
  }

  /// Nil if the text is not JSON.
  package init?(text: String) { self.init(Array(text.utf8)) }

  /// Containers come first: for each type that does not fit, Foundation makes an error with the whole path, which is
  /// expensive for deep values.
  package init(from decoder: any Decoder) throws {
    if var list = try? decoder.unkeyedContainer() {
      var values: [JSONValue] = []
      while !list.isAtEnd { values.append(try list.decode(JSONValue.self)) }
      self = .list(values)
    } else if let object = try? decoder.container(keyedBy: FieldName.self) {
      var fields: [String: JSONValue] = [:]
      for name in object.allKeys { fields[name.stringValue] = try object.decode(JSONValue.self, forKey: name) }
      self = .object(fields)
    } else {
      self = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ container: any SingleValueDecodingContainer) throws -> JSONValue {
    if container.decodeNil() { return .null }
    if let text = try? container.decode(String.self) { return .text(text) }
    if let flag = try? container.decode(Bool.self) { return .flag(flag) }
    return .number(try container.decode(Double.self))
  }

  private struct FieldName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
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

  /// Whether this value contains another one: an object must have its fields, a list its elements at their places. Other
  /// values must be equal.
  func contains(_ other: JSONValue) -> Bool {
    switch (self, other) {
    case (.object(let fields), .object(let others)):
      others.allSatisfy { name, value in fields[name]?.contains(value) ?? false }
    case (.list(let list), .list(let others)):
      list.count == others.count && zip(list, others).allSatisfy { $0.contains($1) }
    // Clients choose the texts, so they are compared by bytes.
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
