import MadangAPI

/// The names in an edition's OpenAPI document: its operations, and the fields of its objects.
package struct DocumentedEdition: Sendable {
  package struct Operation: Sendable {
    package let id: String
    package let method: String
    /// The path, with `{parameters}`.
    package let template: String
  }

  package let name: EditionName
  /// Ordered by path, then by method.
  package let operations: [Operation]
  /// The fields of each object, by the object's name.
  package let objects: [String: Set<String>]
  /// Whether ids are integers; otherwise they are texts.
  package let hasNumericIDs: Bool

  /// Every edition, newest first. The documents are part of the program, and a test reads them.
  package static let all = EditionName.allCases.compactMap { try? DocumentedEdition($0) }.sorted {
    $0.name.rawValue > $1.name.rawValue
  }

  private init?(_ name: EditionName) throws {
    guard let document = try OpenAPIDocument.of(name.rawValue) else { return nil }
    self.name = name
    operations = document.paths.flatMap { template, path in
      path.operations.map { Operation(id: $0.operation.operationId, method: $0.method, template: template) }
    }.sorted { ($0.template, $0.method) < ($1.template, $1.method) }
    objects = document.objects
    hasNumericIDs = document.hasNumericIDs
  }
}
