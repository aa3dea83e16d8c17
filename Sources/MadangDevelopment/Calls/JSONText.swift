import Foundation

/// A value in the body of a call: text, or an object that is kept as JSON.
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
    // Equal objects give equal texts; the order of their fields does not matter.
    self = .object(String(decoding: try DevelopmentJSON.encode(value), as: UTF8.self))
  }
}
