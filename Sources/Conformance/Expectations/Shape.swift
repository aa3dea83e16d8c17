import MadangAPI

/// What a value must look like: exact keys, exact types.
indirect enum Shape: Sendable {
  case text
  case integer
  /// A positive integer.
  case number
  /// A lower-case UUID of version 4.
  case uuid
  /// 24 characters: `yyyy-MM-ddTHH:mm:ss.SSSZ`.
  case date
  /// `/static/<folder>/<name>.<ext>`.
  case path(folder: String)
  /// Of the alphabet of tokens.
  case token
  case exactly(JSON)
  case oneOf([JSON])
  case nullable(Shape)
  case list(Shape)
  case object([String: Shape])

  /// The object with more keys.
  func with(_ more: [String: Shape]) -> Shape {
    guard case .object(let keys) = self else { return self }
    return .object(keys.merging(more) { $1 })
  }

  /// What a value should have been, and why it is not.
  struct Fault {
    let expected: String
    let cause: Cause
  }

  /// - Throws: ``Violation`` for a value of another form.
  func check(_ json: JSON, at place: String) throws {
    guard let fault = fault(in: json, at: place) else { return }
    throw Violation(expected: fault.expected, seen: json.masked.text.shortened, cause: fault.cause)
  }

  /// What is wrong with a value, or nil.
  func fault(in json: JSON, at place: String = "the body") -> Fault? {
    switch (self, json) {
    case (.nullable(let shape), _): return json == .null ? nil : shape.fault(in: json, at: place)
    case (.object(let shapes), .object(let object)): return Self.fault(in: object, shapes, at: place)
    case (.list(let shape), .list(let list)):
      return list.enumerated().lazy.compactMap { shape.fault(in: $1, at: "\(place)[\($0)]") }.first
    case (.text, .text): return nil
    case (.integer, .number(let digits)) where Int(digits) != nil: return nil
    case (.number, .number(let digits)) where Int(digits).map({ $0 > 0 }) == true: return nil
    case (.uuid, .text(let text)) where Self.isUUID(text): return nil
    case (.date, .text(let text)) where Self.isDate(text): return nil
    case (.path(let folder), .text(let text)) where Self.isPath(text, folder): return nil
    case (.token, .text(let text)) where Self.isToken(text): return nil
    case (.exactly(let value), _) where value == json: return nil
    case (.oneOf(let values), _) where values.contains(json): return nil
    default:
      let key = (place.split(separator: ".").last ?? place[...]).prefix { $0 != "[" }
      return Fault(expected: "\(name) at \(place)", cause: cause(of: json) ?? Cause("\(key) is not \(name)."))
    }
  }

  /// The difference behind a value of another form.
  private func cause(of json: JSON) -> Cause? {
    switch self {
    case .date: .dateForm
    case .uuid, .number: .idForm
    case .integer where json.isQuotedNumber, .exactly(.number) where json.isQuotedNumber: .quotedNumbers
    default: nil
    }
  }

  private static func fault(in object: [String: JSON], _ shapes: [String: Shape], at place: String) -> Fault? {
    let missing = shapes.keys.filter { object[$0] == nil }.sorted()
    let extra = object.keys.filter { shapes[$0] == nil }.sorted()
    guard missing.isEmpty, extra.isEmpty else {
      let words = (missing.map { "\($0), which is missing" } + extra.map { "no \($0)" }).joined(separator: ", ")
      let isAboutNulls = extra.isEmpty && missing.allSatisfy { if case .nullable? = shapes[$0] { true } else { false } }
      return Fault(
        expected: "exactly the keys of the contract at \(place): \(words)",
        cause: isAboutNulls ? .nullsLeftOut : Cause("Objects have other keys: expected \(words)."))
    }
    return shapes.keys.sorted().lazy.compactMap { key in
      object[key].flatMap { shapes[key]?.fault(in: $0, at: "\(place).\(key)") }
    }.first
  }

  private var name: String {
    switch self {
    case .text: "a string"
    case .integer: "an integer"
    case .number: "a positive integer"
    case .uuid: "a lower-case UUID of version 4"
    case .date: "a date like 2024-12-13T07:05:30.874Z"
    case .path(let folder): "a path like /static/\(folder)/name.png"
    case .token: "a token of A-Z a-z 0-9 . _ -"
    case .exactly(let value): value.text
    case .oneOf(let values): "one of " + values.map(\.text).joined(separator: ", ")
    case .nullable(let shape): "null or \(shape.name)"
    case .list: "an array"
    case .object: "an object"
    }
  }

  static func isUUID(_ text: String) -> Bool {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [8, 4, 4, 4, 12] && parts[2].first == "4"
      && text.utf8.allSatisfy { "0123456789abcdef-".utf8.contains($0) }
  }

  static func isDate(_ text: String) -> Bool {
    let form = Array("dddd-dd-ddTdd:dd:dd.dddZ".utf8)
    guard text.utf8.count == form.count else { return false }
    return zip(text.utf8, form).allSatisfy { byte, place in
      place == UInt8(ascii: "d") ? (0x30...0x39).contains(byte) : byte == place
    } && (try? Cursor.label(text, zoneless: 0)) != nil
  }

  static func isPath(_ text: String, _ folder: String) -> Bool {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0].isEmpty, parts[1] == "static", parts[2] == folder else { return false }
    guard let dot = parts[3].lastIndex(of: ".") else { return false }
    // The name of a document may be percent-encoded.
    let name = parts[3][..<dot].replacing(/%[0-9A-F]{2}/, with: "-")
    return isToken(String(name)) && isToken(String(parts[3][parts[3].index(after: dot)...]))
  }

  static func isToken(_ text: String) -> Bool {
    !text.isEmpty
      && text.unicodeScalars.allSatisfy {
        $0.isASCII
          && ($0.properties.isAlphabetic || $0.properties.numericType != nil || "._-".unicodeScalars.contains($0))
      }
  }
}
