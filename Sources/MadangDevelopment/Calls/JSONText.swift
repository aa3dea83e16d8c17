import Foundation

/// A value of a call's body that is text, or an object, which is kept as JSON.
enum JSONText: Decodable {
  case text(String)
  case object(String)

  init(from decoder: any Decoder) throws {
    if let text = try? decoder.singleValueContainer().decode(String.self) {
      self = .text(text)
      return
    }
    let value = try decoder.singleValueContainer().decode(JSONValue.self)
    guard case .object = value else {
      throw DecodingError.dataCorruptedError(
        in: try decoder.singleValueContainer(), debugDescription: "must be text or an object")
    }
    // Equal objects are equal texts, whatever the order of their fields.
    self = .object(String(decoding: try DevelopmentJSON.encode(value), as: UTF8.self))
  }
}
