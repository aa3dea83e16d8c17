import Foundation
import MadangAPI
import MadangCore
import SocketIOProtocol

/// The fields of a body in any of the three encodings (wire contract, Encodings).
package struct Fields: Sendable {
  enum Value: Sendable {
    case text(String)
    case null
    /// JSON that is neither text nor null.
    case other
  }

  struct File: Sendable {
    let name: String
    let staged: StagedFile
  }

  /// The first ones. Few bodies have more, and to compare a name with so many costs less than to hash it.
  private var few: [(name: String, value: Value)] = []
  private var others: [String: Value] = [:]
  /// File parts in order of appearance; empty ones are left out.
  private(set) var files: [File] = []

  /// The first field with a name; nil if there is none.
  subscript(name: String) -> Value? {
    few.first { $0.name == name }?.value ?? (others.isEmpty ? nil : others[name])
  }

  /// No field of the API has a longer name, in bytes.
  private static let maxName = 64
  private static let maxFew = 8

  /// The name of a form's field. Line ends around it do not count.
  package static func name(ofForm text: String) -> String {
    let (first, last) = (text.utf8.first, text.utf8.last)
    let isPlain = [first, last].allSatisfy { $0.map { 0x20..<0x7F ~= $0 } ?? true }
    return isPlain ? text : text.trimmingCharacters(in: .newlines)
  }

  /// Adds a field; the first of a repeated name wins. One whose name is too long or no ASCII is no field of the API, and is ignored: it
  /// might be expensive to compare.
  mutating func add(_ name: String, _ value: Value) {
    guard name.utf8.count <= Self.maxName, name.isASCII, self[name] == nil else { return }
    if few.count < Self.maxFew { few.append((name, value)) } else { others[name] = value }
  }

  mutating func add(_ file: File) { files.append(file) }

  /// Whether a field is there and not null; any file has the names of both fields for files.
  package func hasValue(of name: String) -> Bool {
    switch self[name] {
    case .text, .other: true
    case nil, .null: !files.isEmpty && (name == Field.image.rawValue || name == Field.files.rawValue)
    }
  }

  /// The field's text; nil if it is absent or null. Throws `.invalid` if it is not text.
  func text(_ field: Field) throws -> String? { try text(field.rawValue) }

  /// The text of a field with this name; nil if it is absent or null. Throws `.invalid` if it is not text.
  package func text(_ name: String) throws -> String? {
    switch self[name] {
    case .text(let text): text
    case nil, .null: nil
    case .other: throw Failure(.invalid, "\(name): must be a string")
    }
  }

  /// The field's text. Throws `.invalid` if it is absent, null or not text.
  package func required(_ field: Field) throws -> String {
    guard let text = try text(field) else { throw Failure(.invalid, "\(field.rawValue): is missing") }
    return text
  }

  /// Some clients spell the field in snake case.
  func deviceToken() throws -> String? { try text(.deviceToken) ?? text(.deviceTokenSnakeCase) }

  /// The file part `image`, or the first file if none has that name.
  var image: StagedFile? { (files.first { $0.name == Field.image.rawValue } ?? files.first)?.staged }
}

extension Fields {
  /// Reads a JSON object. Throws `.invalid`.
  init(json bytes: [UInt8]) throws {
    // What is not text is refused; it is not the same as nothing.
    guard String(validating: bytes, as: UTF8.self) != nil, let members = JSONScanner.members(ofObject: bytes) else {
      throw Failure(.invalid, "the body is not a JSON object")
    }
    for member in members { add(member.key, try Self.value(of: bytes[member.value])) }
  }

  private static func value(of json: ArraySlice<UInt8>) throws -> Value {
    guard json.first == UInt8(ascii: "\"") else { return json.elementsEqual("null".utf8) ? .null : .other }
    guard let text = JSONText.string(json, loneSurrogates: .refused) else {
      throw Failure(.invalid, "the body has a string that is not valid text")
    }
    return .text(text)
  }

  /// Reads `application/x-www-form-urlencoded`. Throws `.invalid`.
  init(form bytes: [UInt8]) throws {
    for pair in bytes.split(separator: UInt8(ascii: "&")) {
      let parts = [pair.prefix { $0 != UInt8(ascii: "=") }, pair.drop { $0 != UInt8(ascii: "=") }.dropFirst()]
      let texts = parts.map { String(validating: percentDecodedBytes($0, plusIsBlank: true), as: UTF8.self) }
      guard let name = texts[0], let value = texts[1] else { throw Failure(.invalid, "the body is not UTF-8") }
      add(Self.name(ofForm: name), .text(value))
    }
  }
}
