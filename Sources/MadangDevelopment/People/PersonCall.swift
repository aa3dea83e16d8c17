import MadangAPI
import MadangServer
import SocketIOProtocol

/// A call of the API whose ids are written as names: `PUT workspaces/{Weekend}/channels/{Weekend/ios}`.
package struct PersonCall: Sendable {
  /// A part of the path.
  enum Part: Sendable {
    /// As sent.
    case text(String)
    /// The ids of a workspace and of a person.
    case workspace(String)
    case person(String)
    /// A channel as a path of the edition names it: by its id, in 2024-01 by its name.
    case channel(Place)
  }

  enum Value: Sendable {
    case text(String)
    case null
    /// The id of a person.
    case person(String)
  }

  let edition: EditionName
  let method: String
  let path: [Part]
  /// The `operationId`.
  let operation: String
  /// As it was written, for people.
  let words: String
  var body: [(name: String, value: Value)] = []
  /// Names of fields, each of which sends a generated picture.
  var pictures: [String] = []

  /// The most fields of a body, and the most pictures.
  static let maxFields = 100
  private static let methods = ["GET", "POST", "PUT", "DELETE"]

  /// - Throws: ``WorldError`` if it is no operation of the edition.
  init(_ text: String, _ edition: EditionName) throws(WorldError) {
    let words = text.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2, Self.methods.contains(words[0].uppercased()) else {
      throw WorldError("a method and a path, such as POST workspaces, or PUT workspaces/{Weekend}")
    }
    (method, self.words, self.edition) = (words[0].uppercased(), text, edition)
    path = try Self.parts(of: words[1])
    let sample = path.map { if case .text(let text) = $0 { text } else { "x" } }.joined()
    let found = DocumentedEdition.of(edition)?.operation(method, RequestTarget(sample).segments)
    guard let found else {
      throw WorldError("edition \(edition.rawValue) has no operation \(BadCall.shortened(text))")
    }
    operation = found.operation.id
  }

  /// Whether an account has to make it.
  var needsPerson: Bool { operation != "signUp" && operation != "validateEmail" }

  /// The e-mail of the account that it creates.
  var newcomer: String? {
    guard operation == "signUp", case .text(let email)? = body.first(where: { $0.name == "email" })?.value else {
      return nil
    }
    return email
  }

  /// All people whom it names.
  var people: [String] {
    path.compactMap { if case .person(let name) = $0 { name } else { nil } }
      + body.compactMap { if case .person(let name) = $0.value { name } else { nil } }
  }

  /// All places that it names.
  var places: [Place] {
    path.compactMap { part in
      switch part {
      case .workspace(let name): Place(name)
      case .channel(let place): place
      case .text, .person: nil
      }
    }
  }

  /// Whether a text can be the name of a field.
  static func isFieldName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
          true
        default: false
        }
      }
  }

  // MARK: Names in a path

  /// The text between braces; `{`, `}` and `%` of a name are percent-encoded.
  static func braced(_ name: String) -> String {
    let escaped = name.replacing("%", with: "%25").replacing("{", with: "%7B").replacing("}", with: "%7D")
    return "{\(escaped)}"
  }

  private static func parts(of path: String) throws(WorldError) -> [Part] {
    let isVersioned = path.firstMatch(of: /^\/*v[0-9]+\//) != nil
    var parts: [Part] = [.text(isVersioned ? "" : "/v1/")]
    var rest = path.utf8[...]
    while let open = rest.firstIndex(of: UInt8(ascii: "{")) {
      guard let close = rest[open...].firstIndex(of: UInt8(ascii: "}")) else {
        throw WorldError("'\(BadCall.shortened(path))' has a { without }")
      }
      parts.append(.text(String(Substring(rest[..<open]))))
      parts.append(try named(percentDecoded(rest[rest.index(after: open)..<close])))
      rest = rest[rest.index(after: close)...]
    }
    parts.append(.text(String(Substring(rest))))
    return parts
  }

  private static func named(_ name: String) throws(WorldError) -> Part {
    if name.hasPrefix("@"), name.count > 1 { return .person(String(name.dropFirst())) }
    guard name.isCheapToCompare, let place = Place(name) else {
      throw WorldError("{\(name)}: write {Weekend}, {Weekend/ios}, or {@mina}")
    }
    return place.channel == nil ? .workspace(place.workspace) : .channel(place)
  }
}
