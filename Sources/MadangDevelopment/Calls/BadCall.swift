/// An invalid development call, with the reason.
package struct BadCall: Error, Encodable, Equatable {
  package let error: String

  package init(_ error: String) { self.error = error }

  /// Refuses unknown query parameters, which may be mistyped.
  /// - Throws: ``BadCall`` with the first of them.
  package static func refuse(_ fields: some Sequence<String>, besides known: [String]) throws(BadCall) {
    guard let unknown = fields.filter({ !known.contains($0) }).min() else { return }
    let has = known.isEmpty ? "none" : known.joined(separator: ", ")
    throw BadCall("\(shortened(unknown)): is not a parameter of this call; it has \(has)")
  }
}

extension BadCall {
  /// The error in a JSON body, with its place.
  init(_ error: DecodingError, in body: [UInt8]) {
    switch error {
    case .typeMismatch(let type, let context), .valueNotFound(let type, let context):
      self.init("\(Self.place(context.codingPath)): must be \(Self.words(for: type))")
    case .keyNotFound(let key, let context): self.init("\(Self.place(context.codingPath + [key])): is missing")
    case .dataCorrupted(let context) where !context.codingPath.isEmpty:
      self.init("\(Self.place(context.codingPath)): \(context.debugDescription)")
    default:
      // It is valid JSON with a number out of range, and Foundation does not give the place.
      let places = OddNumbers.places(in: body)
      self.init(
        "\(places.isEmpty ? "a number" : places.joined(separator: ", ")): is not whole, or too large for its field")
    }
  }

  /// In characters.
  private static let longestPlace = 200

  /// A place in a body, as in `expected[0].times`.
  static func place(_ path: [any CodingKey]) -> String {
    let words = path.reduce(into: "") { words, key in
      if let index = key.intValue {
        words += "[\(index)]"
      } else {
        words += words.isEmpty ? key.stringValue : ".\(key.stringValue)"
      }
    }
    return words.isEmpty ? "the body" : shortened(words)
  }

  /// In bytes.
  private static let largestPlace = 1000

  /// A place or name for an error text: its first characters, if it is long.
  package static func shortened(_ place: String) -> String {
    var size = 0
    let start = place.prefix(longestPlace).prefix { character in
      size += character.utf8.count
      return size <= largestPlace
    }
    return start.endIndex < place.endIndex ? start + "..." : place
  }

  private static func words(for type: Any.Type) -> String {
    switch type {
    case is String.Type: "text, in quotes"
    case is Bool.Type: "true or false"
    case is Int.Type, is UInt64.Type: "a whole number, such as 5"
    case is Double.Type: "a number, such as 1.5"
    case is [Any].Type: "a list, [...]"
    default: #"an object, {"field": value}"#
    }
  }
}

/// The places of the first numbers that do not fit into a whole-number field.
private struct OddNumbers: Decodable {
  /// How many places are reported.
  private static let limit = 3

  private var places: [String] = []

  static func places(in body: [UInt8]) -> [String] { (try? CallBody.decode(Self.self, from: body))?.places ?? [] }

  init(from decoder: any Decoder) throws {
    if let fields = try? decoder.container(keyedBy: AnyName.self) {
      for key in fields.allKeys.sorted(by: { $0.stringValue < $1.stringValue }) where places.count < Self.limit {
        places += try fields.decode(Self.self, forKey: key).places
      }
    } else if var items = try? decoder.unkeyedContainer() {
      while !items.isAtEnd, places.count < Self.limit { places += try items.decode(Self.self).places }
    } else if let number = try? decoder.singleValueContainer().decode(Double.self), Int(exactly: number) == nil {
      places = [BadCall.place(decoder.codingPath)]
    }
  }
}
