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
    let value = try decoder.singleValueContainer().decode(Part.self)
    guard case .fields = value else {
      throw DecodingError.dataCorruptedError(
        in: try decoder.singleValueContainer(), debugDescription: "text or an object")
    }
    self = .object(String(decoding: try JSONEncoder().encode(value), as: UTF8.self))
  }

  private enum Part: Codable {
    case none
    case flag(Bool)
    case number(Double)
    case text(String)
    case list([Part])
    case fields([String: Part])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .none
      } else if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? container.decode(Double.self) {
        self = .number(number)
      } else if let text = try? container.decode(String.self) {
        self = .text(text)
      } else if let list = try? container.decode([Part].self) {
        self = .list(list)
      } else {
        self = .fields(try container.decode([String: Part].self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .none: try container.encodeNil()
      case .flag(let flag): try container.encode(flag)
      case .number(let number): try container.encode(number)
      case .text(let text): try container.encode(text)
      case .list(let list): try container.encode(list)
      case .fields(let fields): try container.encode(fields)
      }
    }
  }
}
