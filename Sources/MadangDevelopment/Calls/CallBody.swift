import MadangCore
import SocketIOProtocol

/// The bodies of development calls.
package enum CallBody {
  /// - Throws: ``BadCall`` with the field and its valid values.
  package static func decode<Value: Decodable>(_ type: Value.Type, from bytes: [UInt8]) throws -> Value {
    guard ForeignJSON.isSafe(bytes) else {
      throw BadCall(#"the body is not valid JSON; write {"field": value}"#)
    }
    guard ForeignJSON.hasComparableTexts(bytes) else {
      throw BadCall("the body has a letter with too many combining marks; a letter with its marks may have 256 bytes")
    }
    do {
      return try ForeignJSON.decode(type, from: bytes)
    } catch let error as DecodingError {
      throw BadCall(error, in: bytes)
    }
  }

  /// The fields of a body; none if it is empty.
  /// - Throws: ``BadCall``, also for an unknown field.
  package static func fields<Fields: CallFields>(_ type: Fields.Type = Fields.self, of bytes: [UInt8]) throws -> Fields
  {
    try decode(KnownFields<Fields>.self, from: bytes.isEmpty ? Array("{}".utf8) : bytes).fields
  }
}

/// The body of a call, or an object in it.
package protocol CallFields: Decodable {
  /// The names of all its fields.
  static var names: [String] { get }
  /// The object's name in errors.
  static var whole: String { get }
}

extension CallFields {
  package static var whole: String { "this call" }
}

/// Decodes an object and refuses unknown fields.
package struct KnownFields<Fields: CallFields>: Decodable {
  package let fields: Fields

  package init(from decoder: any Decoder) throws {
    try decoder.refuseFields(besides: Fields.names, of: Fields.whole)
    fields = try Fields(from: decoder)
  }
}

/// A value that is one of a few texts.
package protocol CallChoice: RawRepresentable<String>, CaseIterable, Decodable {}

extension CallChoice {
  package init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    guard let value = Self(rawValue: text) else {
      let known = Self.allCases.map(\.rawValue)
      throw DecodingError.dataCorrupted(
        .init(
          codingPath: decoder.codingPath,
          debugDescription: "one of \(known.joined(separator: ", "))\(Spelling.guess(text, among: known))"))
    }
    self = value
  }
}

/// Any field name.
struct AnyName: CodingKey {
  let stringValue: String
  var intValue: Int? { nil }

  init(stringValue: String) { self.stringValue = stringValue }
  init?(intValue: Int) { nil }
}

extension Decoder {
  /// Throws ``BadCall`` if the object has a field that is not in this list.
  package func refuseFields(besides known: [String], of whole: String) throws {
    let fields = try container(keyedBy: AnyName.self)
    guard let unknown = fields.allKeys.first(where: { !known.contains($0.stringValue) }) else { return }
    throw BadCall(
      "\(BadCall.place(codingPath + [unknown])): is not a field of \(whole); it has \(known.joined(separator: ", "))")
  }
}
