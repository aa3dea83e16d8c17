import MadangAPI
import NIOHTTP1
import OpenAPI

/// An edition's OpenAPI document for tests: its operations, and a check of answers against it.
package struct APIDescription: Sendable {
  package struct Unreadable: Error {
    let reason: String

    package init(reason: String) { self.reason = reason }
  }

  package struct Operation: Sendable {
    package let id: String
    package let method: HTTPMethod
    package let template: String
    /// `x-madang-access`: a case of ``Access``.
    package let access: String
    package let hasBody: Bool
    /// Names of the query parameters.
    package let queries: [String]
    fileprivate let segments: [Substring]
    fileprivate let responses: [Int: Response]

    /// The error codes that a refusal may have.
    package var codes: [String] { (responses[400]?.codes ?? []) + (responses[500]?.codes ?? []) }
    package var isPublic: Bool { access == "\(Access.publicKey)" }

    /// The path with its parameters replaced.
    package func path(_ argument: (String) throws -> String) rethrows -> String {
      try segments.map { segment in
        guard segment.hasPrefix("{") else { return "/\(segment)" }
        return "/" + percentEncoded(try argument(String(segment.dropFirst().dropLast())))
      }.joined()
    }

    fileprivate func matches(_ path: [Substring]) -> Bool {
      path.count == segments.count && zip(segments, path).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
    }

    fileprivate var literals: Int { segments.count { !$0.hasPrefix("{") } }
  }

  package let edition: EditionName
  package let operations: [Operation]
  /// Every schema by its name.
  package let schemas: [String: JSONSchema]

  package static let all = EditionName.allCases.map(of)

  package static func of(_ edition: EditionName) -> APIDescription {
    switch edition {
    case .october2024: october2024
    case .january2024: january2024
    }
  }

  private static let october2024 = read(.october2024)
  private static let january2024 = read(.january2024)

  private static func read(_ edition: EditionName) -> APIDescription {
    do {
      guard let json = OpenAPIDocuments.all.first(where: { $0.edition == edition.rawValue })?.json else {
        throw Unreadable(reason: "there is no such document")
      }
      return try APIDescription(edition, try JSON(json))
    } catch {
      fatalError("openapi/\(edition.rawValue).json: \(error)")
    }
  }

  private init(_ edition: EditionName, _ document: JSON) throws {
    guard case .object(let paths)? = document["paths"], case .object(let schemas)? = document["components"]?["schemas"]
    else { throw Unreadable(reason: "paths or schemas are missing") }
    self.edition = edition
    self.schemas = try schemas.mapValues { try JSONSchema($0, in: document) }
    operations = try paths.flatMap { template, path in
      guard case .object(let members) = path else { throw Unreadable(reason: "\(template) is no object") }
      return try members.filter { $0.key != "parameters" }.map { method, operation in
        try Operation(HTTPMethod(rawValue: method.uppercased()), template, operation, in: document)
      }
    }.sorted { ($0.template, $0.method.rawValue) < ($1.template, $1.method.rawValue) }
  }

  /// The operation of a path (percent-encoded, with or without query). A fixed segment has priority over a parameter.
  package func operation(_ method: HTTPMethod, _ path: String) -> Operation? {
    let segments = path.prefix { $0 != "?" && $0 != "#" }.split(separator: "/")
    let candidates = operations.filter { $0.matches(segments) }
    let literals = candidates.map(\.literals).max()
    return candidates.first { $0.literals == literals && $0.method == method }
  }

  /// Differences between an answer and the document; empty if there are none.
  package func problems(of answer: World.Answer, to method: HTTPMethod, _ path: String) -> [String] {
    guard let operation = operation(method, path) else {
      let codes = [ErrorCode.unknownPath, .badKey, .tooManyCalls].map(\.rawValue)
      return codes.contains(answer.code ?? "") ? [] : ["is not documented, and the answer is no \(codes)"]
    }
    guard let response = operation.responses[answer.status] else {
      return ["\(operation.id): the status \(answer.status) is not documented"]
    }
    return response.problems(of: answer).map { "\(operation.id): \($0)" }
  }
}

extension APIDescription.Operation {
  fileprivate init(_ method: HTTPMethod, _ template: String, _ operation: JSON, in document: JSON) throws {
    guard let id = operation["operationId"]?.string, let access = operation["x-madang-access"]?.string,
      case .object(let responses)? = operation["responses"]
    else { throw APIDescription.Unreadable(reason: "\(method) \(template) lacks operationId, access or responses") }
    self.id = id
    self.method = method
    self.template = template
    self.access = access
    hasBody = operation["requestBody"] != nil
    queries = try (operation["parameters"]?.list ?? []).compactMap { parameter in
      let parameter = try parameter.resolved(in: document)
      return parameter["in"] == "query" ? parameter["name"]?.string : nil
    }
    segments = template.split(separator: "/")
    self.responses = try responses.reduce(into: [:]) { all, entry in
      guard let status = Int(entry.key) else { throw APIDescription.Unreadable(reason: "\(id): \(entry.key)") }
      all[status] = try Response(try entry.value.resolved(in: document), in: document)
    }
  }

  fileprivate struct Response: Sendable {
    let headers: [String: (isRequired: Bool, schema: JSONSchema)]
    /// By media type; nil for the bytes of a file, which have no schema.
    let content: [String: JSONSchema?]
    let codes: [String]

    init(_ response: JSON, in document: JSON) throws {
      var headers: [String: (isRequired: Bool, schema: JSONSchema)] = [:]
      if case .object(let members)? = response["headers"] {
        for (name, header) in members {
          let header = try header.resolved(in: document)
          headers[name] = (header["required"] == true, try JSONSchema(header["schema"] ?? [:], in: document))
        }
      }
      self.headers = headers
      var content: [String: JSONSchema?] = [:]
      var codes: [String] = []
      if case .object(let members)? = response["content"] {
        for (type, media) in members {
          content.updateValue(try media["schema"].map { try JSONSchema($0, in: document) }, forKey: type)
          codes += media["schema"]?["properties"]?["errorCode"]?["enum"]?.list?.compactMap(\.string) ?? []
        }
      }
      self.content = content
      self.codes = codes
    }

    func problems(of answer: World.Answer) -> [String] {
      var problems: [String] = []
      for (name, header) in headers {
        if let value = answer.headers.first(name: name) {
          problems += header.schema.problems(of: .text(value), at: name)
        } else if header.isRequired {
          problems.append("the header \(name) is missing")
        }
      }
      if answer.code == ErrorCode.tooManyCalls.rawValue, !answer.headers.contains(name: "Retry-After") {
        problems.append("E98 lacks Retry-After")
      }
      guard !content.isEmpty else { return problems + (answer.body.isEmpty ? [] : ["the body has bytes"]) }
      let type = answer.headers.first(name: "Content-Type").map { String($0.prefix { $0 != ";" }) }
      guard let type, let schema = content[type] else {
        return problems + ["the type \(type ?? "none") is not documented"]
      }
      guard let schema else { return problems }
      guard let json = try? answer.json else { return problems + ["the body is no JSON"] }
      return problems + schema.problems(of: json)
    }
  }
}
