import Foundation

/// JSON Schema (draft 2020-12) as far as the OpenAPI documents use it. Unknown keywords are errors, so that no part of a schema is silently
/// ignored.
package struct JSONSchema: Sendable {
  package struct Unreadable: Error {
    let reason: String
  }

  private indirect enum Rule: Sendable {
    case types(Set<String>)
    case oneOf([JSON])
    case pattern(NSRegularExpression)
    case length(ClosedRange<Int>)
    case minimum(Int)
    case maximum(Int)
    case maxItems(Int)
    case items(JSONSchema)
    case properties([String: JSONSchema])
    case required([String])
    case only(Set<String>)
    case any([JSONSchema])
    case all(JSONSchema)
  }

  private var rules: [Rule] = []
  /// The examples in the schema.
  package private(set) var examples: [JSON] = []

  /// - Parameter document: The document in which `$ref` is resolved.
  package init(_ schema: JSON, in document: JSON) throws {
    guard case .object(let keywords) = schema else { throw Unreadable(reason: "a schema is an object") }
    func schemas(_ json: JSON) throws -> [JSONSchema] { try (json.list ?? []).map { try JSONSchema($0, in: document) } }
    for (keyword, value) in keywords {
      switch (keyword, value) {
      case ("$ref", .text(let reference)): rules.append(.all(try JSONSchema(document.target(reference), in: document)))
      case ("type", .text(let type)): rules.append(.types([type]))
      case ("type", .list(let types)): rules.append(.types(Set(types.compactMap(\.string))))
      case ("enum", .list(let values)): rules.append(.oneOf(values))
      case ("const", let value): rules.append(.oneOf([value]))
      case ("pattern", .text(let pattern)): rules.append(.pattern(try NSRegularExpression(pattern: pattern)))
      case ("minLength", .number(let limit)): rules.append(.length(Int(limit)...Int.max))
      case ("maxLength", .number(let limit)): rules.append(.length(0...Int(limit)))
      case ("minimum", .number(let limit)): rules.append(.minimum(Int(limit)))
      case ("maximum", .number(let limit)): rules.append(.maximum(Int(limit)))
      case ("maxItems", .number(let limit)): rules.append(.maxItems(Int(limit)))
      case ("items", let items): rules.append(.items(try JSONSchema(items, in: document)))
      case ("properties", .object(let properties)):
        rules.append(.properties(try properties.mapValues { try JSONSchema($0, in: document) }))
      case ("required", .list(let names)): rules.append(.required(names.compactMap(\.string)))
      case ("additionalProperties", false): rules.append(.only(keywords["properties"]?.keys ?? []))
      case ("anyOf", let choices): rules.append(.any(try schemas(choices)))
      case ("examples", .list(let values)): examples = values
      // Annotations. A format is accompanied by a pattern or has no meaning for answers.
      case ("description", _), ("format", _): break
      default: throw Unreadable(reason: "the keyword '\(keyword)' is not known with \(value)")
      }
    }
  }

  /// All violations of the schema by a value; empty if it is valid.
  package func problems(of value: JSON, at place: String = "body") -> [String] {
    rules.flatMap { problems(of: value, at: place, with: $0) }
  }

  private func problems(of value: JSON, at place: String, with rule: Rule) -> [String] {
    func unless(_ holds: Bool, _ problem: String) -> [String] { holds ? [] : ["\(place) \(problem): \(value)"] }
    switch (rule, value) {
    case (.types(let types), _): return unless(!types.isDisjoint(with: value.types), "is no \(types.sorted())")
    case (.oneOf(let values), _): return unless(values.contains(value), "is none of \(values)")
    case (.pattern(let pattern), .text(let text)):
      let range = NSRange(text.startIndex..., in: text)
      return unless(pattern.firstMatch(in: text, range: range) != nil, "does not match \(pattern.pattern)")
    // JSON Schema counts code points.
    case (.length(let range), .text(let text)):
      return unless(range.contains(text.unicodeScalars.count), "has a length outside \(range)")
    case (.minimum(let limit), .number(let number)): return unless(number >= Double(limit), "is below \(limit)")
    case (.maximum(let limit), .number(let number)): return unless(number <= Double(limit), "is above \(limit)")
    case (.maxItems(let limit), .list(let items)): return unless(items.count <= limit, "has more than \(limit) items")
    case (.items(let schema), .list(let items)):
      return items.enumerated().flatMap { schema.problems(of: $1, at: "\(place)[\($0)]") }
    case (.properties(let schemas), .object(let object)):
      return object.flatMap { key, value in schemas[key]?.problems(of: value, at: "\(place).\(key)") ?? [] }
    case (.required(let names), .object(let object)):
      return names.filter { object[$0] == nil }.map { "\(place).\($0) is missing" }
    case (.only(let names), .object(let object)):
      return object.keys.filter { !names.contains($0) }.map { "\(place).\($0) is not documented" }
    case (.any(let choices), _):
      return unless(choices.contains { $0.problems(of: value).isEmpty }, "fits no choice")
    case (.all(let schema), _): return schema.problems(of: value, at: place)
    default: return []
    }
  }
}

extension JSON {
  /// The schema types of a value.
  fileprivate var types: Set<String> {
    switch self {
    case .null: ["null"]
    case .bool: ["boolean"]
    case .number(let number): number == number.rounded() ? ["number", "integer"] : ["number"]
    case .text: ["string"]
    case .list: ["array"]
    case .object: ["object"]
    }
  }

  /// The target of a reference such as `#/components/schemas/Member`.
  package func target(_ reference: String) throws -> JSON {
    guard reference.hasPrefix("#/") else { throw JSONSchema.Unreadable(reason: "\(reference) is not local") }
    return try reference.dropFirst(2).split(separator: "/").reduce(self) { place, key in
      guard let next = place[String(key)] else { throw JSONSchema.Unreadable(reason: "\(reference) points nowhere") }
      return next
    }
  }

  /// The object itself, or the target of its reference.
  package func resolved(in document: JSON) throws -> JSON {
    guard let reference = self["$ref"]?.string else { return self }
    return try document.target(reference)
  }
}
