import SocketIOProtocol

/// JSON as it was written: numbers keep their digits, so that `100` is not `100.0`.
indirect enum JSON: Equatable, Sendable {
  case null
  case bool(Bool)
  case number(String)
  case text(String)
  case list([JSON])
  case object([String: JSON])

  struct Fault: Error {
    let reason: String
  }

  /// - Throws: ``Fault`` for what is no JSON, and for a key that comes twice.
  init(_ bytes: [UInt8]) throws(Fault) {
    guard JSONScanner.isValue(bytes) else { throw Fault(reason: "this is none") }
    try self.init(value: bytes, depth: 0)
  }

  /// Deeper than any object of the contract, and far from the end of the stack.
  private static let maxDepth = 32

  private init(value bytes: [UInt8], depth: Int) throws(Fault) {
    guard depth < Self.maxDepth else { throw Fault(reason: "it is nested too deeply") }
    if let members = JSONScanner.members(ofObject: bytes) {
      var object: [String: JSON] = [:]
      for member in members {
        guard object[member.key] == nil else { throw Fault(reason: "the key \(member.key) comes twice") }
        object[member.key] = try JSON(value: Array(bytes[member.value]), depth: depth + 1)
      }
      self = .object(object)
    } else if let elements = JSONScanner.elements(ofArray: bytes) {
      var list: [JSON] = []
      for element in elements { list.append(try JSON(value: Array(bytes[element]), depth: depth + 1)) }
      self = .list(list)
    } else {
      self = try Self.scalar(bytes)
    }
  }

  private static func scalar(_ bytes: [UInt8]) throws(Fault) -> JSON {
    let word = String(decoding: bytes, as: UTF8.self).trimmingBlanks
    switch word {
    case "null": return .null
    case "true": return .bool(true)
    case "false": return .bool(false)
    default:
      guard word.hasPrefix("\"") else { return .number(word) }
      guard let text = JSONText.string(Array(word.utf8)[...]) else { throw Fault(reason: "a string is broken") }
      return .text(text)
    }
  }

  /// Written without blanks, keys in order.
  var text: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .number(let digits): digits
    case .text(let text): JSONText.quoted(text)
    case .list(let list): "[" + list.map(\.text).joined(separator: ",") + "]"
    case .object(let object):
      "{" + object.sorted { $0.key < $1.key }.map { "\(JSONText.quoted($0)):\($1.text)" }.joined(separator: ",") + "}"
    }
  }

  /// The same without tokens.
  var masked: JSON {
    switch self {
    case .list(let list): .list(list.map(\.masked))
    case .object(let object):
      .object(
        Dictionary(
          uniqueKeysWithValues: object.map { key, value in
            (key, ["accessToken", "refreshToken"].contains(key) && value != .null ? "<token>" : value.masked)
          }))
    case .null, .bool, .number, .text: self
    }
  }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral, ExpressibleByBooleanLiteral
{
  init(stringLiteral value: String) { self = .text(value) }
  init(integerLiteral value: Int) { self = .number("\(value)") }
  init(arrayLiteral elements: JSON...) { self = .list(elements) }
  init(dictionaryLiteral elements: (String, JSON)...) {
    self = .object(Dictionary(elements, uniquingKeysWith: { $1 }))
  }
  init(nilLiteral: ()) { self = .null }
  init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension String {
  var trimmingBlanks: String {
    var rest = self[...]
    while rest.first?.isWhitespace == true { rest.removeFirst() }
    while rest.last?.isWhitespace == true { rest.removeLast() }
    return String(rest)
  }
}
