import Foundation
import NIOHTTP1
import Support

/// The OpenAPI document of development calls, read for the tests.
struct DevelopmentDescription: Sendable {
  struct Operation: Sendable {
    let method: String
    /// Behind `/_dev`.
    let template: String
    fileprivate let segments: [Substring]
    /// By status; nil where the answer is no JSON only.
    fileprivate let answers: [Int: JSONSchema?]

    fileprivate func matches(_ path: [Substring]) -> Bool {
      path.count == segments.count && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    fileprivate var literals: Int { segments.count { !$0.hasPrefix("{") } }
  }

  let operations: [Operation]

  /// As it is kept.
  static func document() throws -> JSON {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../openapi/development.json")
    return try JSON(Array(Data(contentsOf: file)))
  }

  static let shared: DevelopmentDescription = {
    do { return try DevelopmentDescription(document()) } catch {
      fatalError("the document of development calls cannot be read: \(error)")
    }
  }()

  private init(_ document: JSON) throws {
    guard case .object(let paths)? = document["paths"] else { throw APIDescription.Unreadable(reason: "no paths") }
    operations = try paths.flatMap { template, path in
      guard case .object(let methods) = path else { throw APIDescription.Unreadable(reason: template) }
      return try methods.map { method, operation in
        guard case .object(let responses)? = operation["responses"] else {
          throw APIDescription.Unreadable(reason: "\(method) \(template)")
        }
        var answers: [Int: JSONSchema?] = [:]
        for (status, response) in responses {
          let content = try response.resolved(in: document)["content"]?["application/json"]?["schema"]
          answers[Int(status) ?? 0] = .some(try content.map { try JSONSchema($0, in: document) })
        }
        return Operation(
          method: method.uppercased(), template: template, segments: template.split(separator: "/"), answers: answers)
      }
    }
  }

  /// What the document does not promise of an answer to a call under `/_dev`; empty if it is as described, or no JSON.
  func problems(of body: String, _ status: Int, _ contentType: String?, to method: HTTPMethod, _ path: String)
    -> [String]
  {
    var segments = path.prefix { $0 != "?" }.split(separator: "/").dropFirst()
    // Each world has the calls of a server, too.
    if segments.count > 2, segments.first == "worlds" { segments = segments.dropFirst(2) }
    let found = operations.filter { $0.method == method.rawValue && $0.matches(Array(segments)) }
      .max { $0.literals < $1.literals }
    // Calls of an edition for a person.
    if segments.count > 3, segments.first == "people" { return [] }
    guard let found else {
      return [403, 404].contains(status) || body.contains("errorCode") ? [] : ["is not documented"]
    }
    // Some calls are of a server only, or of a world.
    if status == 404 { return body.hasPrefix(#"{"error":"#) ? [] : ["is no 404"] }
    guard let answer = found.answers[status] else { return ["the status \(status) is not documented"] }
    guard let schema = answer, contentType?.hasPrefix("application/json") ?? false else { return [] }
    guard let json = try? JSON(Array(body.utf8)) else { return ["is no JSON"] }
    return schema.problems(of: json)
  }
}
