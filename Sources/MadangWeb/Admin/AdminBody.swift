import Foundation
import MadangCore
import MadangServer

extension AdminCall {
  /// The most bytes of a body.
  static let maxBody = 65_536

  /// The body's fields, which are the properties of `Fields`; others are refused, so that a mistyped name is no silent default.
  func body<Fields: Decodable>(_: Fields.Type) throws -> Fields {
    do { return try JSONDecoder().decode(ExactObject<Fields>.self, from: Data(bytes)).fields } catch {
      throw AdminRefusal.refused("the body is not as expected: \(Self.words(error))")
    }
  }

  private static func words(_ error: any Error) -> String {
    func place(_ path: [any CodingKey]) -> String { path.map(\.stringValue).joined(separator: ".") }
    return switch error {
    case let error as UnknownField: "\(error.name.prefix(100)): is no field"
    case DecodingError.keyNotFound(let key, _): "\(key.stringValue): is missing"
    case DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context):
      "\(place(context.codingPath)): has another type"
    default: "it is not valid JSON"
    }
  }
}

private struct UnknownField: Error {
  let name: String
}

/// An object without further fields.
private struct ExactObject<Fields: Decodable>: Decodable {
  let fields: Fields

  private struct Name: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    fields = try Fields(from: decoder)
    let known = Set(Mirror(reflecting: fields).children.compactMap(\.label))
    let unknown = try decoder.container(keyedBy: Name.self).allKeys.first { !known.contains($0.stringValue) }
    if let unknown { throw UnknownField(name: unknown.stringValue) }
  }
}
