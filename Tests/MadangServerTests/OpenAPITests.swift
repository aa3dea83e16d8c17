import MadangAPI
import NIOHTTP1
import Support
import Testing

@testable import MadangServer

@Suite("The OpenAPI documents", .timeLimit(.minutes(5)))
struct OpenAPITests {
  /// Method, access and path of an operation; what a path calls its parameters is its own business.
  private static func line(_ method: String, _ template: String, _ access: String) -> String {
    let path = template.split(separator: "/").map { $0.hasPrefix("{") ? "{}" : $0 }
    return "\(method) /\(path.joined(separator: "/")) \(access)"
  }

  @Test("an edition has exactly the routes its document describes, with equal access", arguments: EditionName.allCases)
  func routes(_ name: EditionName) throws {
    let description = APIDescription.of(name)
    let described = description.operations.map { Self.line($0.method.rawValue, $0.template, $0.access) }
    let routed = Routes.all.of(name).routes.map { Self.line($0.method.rawValue, $0.template, "\($0.access)") }
    #expect(Set(described).subtracting(routed) == [], "described only")
    #expect(Set(routed).subtracting(described) == [], "routed only")
    #expect(Set(description.operations.map(\.id)).count == description.operations.count)
  }

  @Test("the documents have only codes of the contract, and the common ones on every operation")
  func codes() {
    let all = Set(ErrorCode.allCases.map(\.rawValue))
    for operation in APIDescription.all.flatMap(\.operations) {
      let codes = Set(operation.codes)
      #expect(codes.isSubset(of: all), "\(operation.id)")
      #expect(codes.isSuperset(of: ["E01", "E97", "E98", "E99"]), "\(operation.id)")
      if !operation.isPublic { #expect(codes.isSuperset(of: ["E02", "E03"]), "\(operation.id)") }
      if operation.hasBody || !operation.queries.isEmpty { #expect(codes.contains("E11"), "\(operation.id)") }
    }
  }

  @Test("every example of a schema fits it")
  func examples() {
    for (name, schema) in APIDescription.all.flatMap(\.schemas) {
      for example in schema.examples { #expect(schema.problems(of: example) == [], "\(name)") }
    }
  }

  @Test("the validator finds values that a schema does not allow and refuses unknown keywords")
  func validator() throws {
    let schema = try JSONSchema(
      [
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": [
          "a": ["type": ["string", "null"], "pattern": "^x", "maxLength": 2], "b": ["$ref": "#/b"],
          "c": ["anyOf": [["type": "integer", "minimum": 1, "maximum": 8], ["enum": ["one"]]]],
        ],
      ], in: ["b": ["type": "array", "maxItems": 1, "items": ["const": true]]])
    let good: [JSON] = [["a": nil], ["a": "xy", "b": [true], "c": 1], ["a": "x", "c": "one"]]
    for value in good { #expect(schema.problems(of: value) == []) }
    let bad: [JSON] = [
      [], [:], ["a": 1], ["a": "y"], ["a": "xyz"], ["a": nil, "b": [true, true]], ["a": nil, "b": [1]],
      ["a": nil, "c": 0], ["a": nil, "c": 9], ["a": nil, "c": "two"], ["a": nil, "d": nil],
    ]
    for value in bad { #expect(schema.problems(of: value).count == 1, "\(value)") }
    #expect(throws: JSONSchema.Unreadable.self) { try JSONSchema(["multipleOf": 1], in: [:]) }
    #expect(throws: JSONSchema.Unreadable.self) { try JSONSchema(["$ref": "#/none"], in: [:]) }
  }

  @Test("the documents are served without a key, with 304 for an unchanged one")
  func served() async throws {
    try await World.run(.sqlite) { (world) async throws in
      for edition in EditionName.allCases {
        let path = "/openapi/\(edition.rawValue).json"
        let answer = try await world.call(.GET, path, key: nil)
        #expect(answer.status == 200 && answer.headers.first(name: "Content-Type") == "application/json")
        #expect(try answer.json["info"]?["version"] == .text(edition.rawValue))
        let tag = try #require(answer.headers.first(name: "ETag"))
        let again = try await world.call(.GET, path, key: nil, headers: [("If-None-Match", tag)])
        #expect(again.status == 304 && again.body.isEmpty)
      }
      #expect(try await world.call(.GET, "/openapi/2023-01.json").code == "E97")
      #expect(try await world.call(.GET, "/openapi/2023-01.json", key: nil).code == "E01")
    }
  }
}
