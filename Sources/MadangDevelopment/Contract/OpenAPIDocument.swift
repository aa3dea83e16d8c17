import Foundation
import OpenAPI

/// The parts of an edition's OpenAPI document that coverage and ``DocumentedEdition`` read.
struct OpenAPIDocument: Decodable {
  let paths: [String: Path]
  private let components: Components

  static func of(_ edition: String) throws -> OpenAPIDocument? {
    try OpenAPIDocuments.all.first { $0.edition == edition }.map {
      try JSONDecoder().decode(Self.self, from: Data($0.json))
    }
  }

  struct Path: Decodable {
    private let get, post, put, delete: Operation?
    let parameters: [OrReference<Parameter>]?

    /// By HTTP method.
    var operations: [(method: String, operation: Operation)] {
      [("GET", get), ("POST", post), ("PUT", put), ("DELETE", delete)].compactMap { method, operation in
        operation.map { (method, $0) }
      }
    }
  }

  struct Operation: Decodable {
    let operationId: String
    let parameters: [OrReference<Parameter>]?
    let requestBody: OrReference<Body>?
    /// By HTTP status.
    let responses: [String: OrReference<Body>]
  }

  struct Parameter: Decodable {
    enum CodingKeys: String, CodingKey {
      case name
      case place = "in"
      case required
    }

    let name: String
    let place: String
    let required: Bool?
  }

  /// The body of a request or an answer.
  struct Body: Decodable {
    struct Media: Decodable {
      let schema: Schema?
    }

    /// By content type.
    let content: [String: Media]?
  }

  struct Schema: Decodable {
    struct Property: Decodable {
      /// The allowed values; nil if any value is allowed, or if the allowed values are not strings.
      let values: [String]?

      private enum CodingKeys: String, CodingKey {
        case values = "enum"
      }

      init(from decoder: any Decoder) throws {
        values = try? decoder.container(keyedBy: CodingKeys.self).decodeIfPresent([String].self, forKey: .values)
      }
    }

    private enum CodingKeys: String, CodingKey {
      case reference = "$ref"
      case properties, required, type
    }

    /// The path of another schema, whose properties this one also has.
    let reference: String?
    let properties: [String: Property]?
    let required: [String]?
    /// Nil if values of several types are allowed.
    let type: String?

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      reference = try container.decodeIfPresent(String.self, forKey: .reference)
      properties = try container.decodeIfPresent([String: Property].self, forKey: .properties)
      required = try container.decodeIfPresent([String].self, forKey: .required)
      type = try? container.decodeIfPresent(String.self, forKey: .type)
    }
  }

  /// A value, or a reference to it.
  enum OrReference<Value: Decodable>: Decodable {
    case value(Value)
    case reference(String)

    private enum CodingKeys: String, CodingKey {
      case reference = "$ref"
    }

    init(from decoder: any Decoder) throws {
      if let name = try decoder.container(keyedBy: CodingKeys.self).decodeIfPresent(String.self, forKey: .reference) {
        self = .reference(String(name.split(separator: "/").last ?? ""))
      } else {
        self = .value(try Value(from: decoder))
      }
    }

    fileprivate func resolved(_ named: [String: Value]?) -> Value? {
      switch self {
      case .value(let value): value
      case .reference(let name): named?[name]
      }
    }
  }

  private struct Components: Decodable {
    let parameters: [String: Parameter]?
    let requestBodies, responses: [String: Body]?
    let schemas: [String: Schema]?
  }

  // MARK: Objects

  /// The fields of each object, by the object's name.
  var objects: [String: Set<String>] {
    (components.schemas ?? [:]).compactMapValues { $0.properties.map { Set($0.keys) } }
  }

  var hasNumericIDs: Bool { components.schemas?["ID"]?.type == "integer" }

  // MARK: What an operation has

  /// The error codes in its answers.
  func codes(of operation: Operation) -> Set<String> {
    let answers = operation.responses.values.compactMap { $0.resolved(components.responses) }
    return Set(answers.flatMap(schemas).flatMap { $0.flatMap { $0.properties?["errorCode"]?.values ?? [] } })
  }

  /// Optional fields of the body.
  func optionalFields(of operation: Operation) -> Set<String> {
    guard let body = operation.requestBody?.resolved(components.requestBodies) else { return [] }
    return Set(
      schemas(of: body).flatMap { parts in
        let required = Set(parts.flatMap { $0.required ?? [] })
        return parts.flatMap { ($0.properties ?? [:]).keys }.filter { !required.contains($0) }
      })
  }

  /// Optional parameters, of the `query` or of `header` fields.
  func optionalParameters(of operation: Operation, at path: Path, in place: String) -> [String] {
    ((path.parameters ?? []) + (operation.parameters ?? [])).compactMap { $0.resolved(components.parameters) }
      .filter { $0.place == place && !($0.required ?? false) }.map(\.name)
  }

  /// For each content type, its schema and the schema to which that one refers.
  private func schemas(of body: Body) -> [[Schema]] {
    (body.content ?? [:]).values.compactMap(\.schema).map { schema in
      let name = schema.reference.flatMap { $0.split(separator: "/").last }.map(String.init)
      return [schema] + (name.flatMap { components.schemas?[$0] }.map { [$0] } ?? [])
    }
  }
}
