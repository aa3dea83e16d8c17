import Foundation
import MadangAPI
import MadangCore
import MadangServer

/// An operation of an edition, without the names of its path parameters.
struct OperationName: Hashable, Sendable {
  let edition: EditionName
  let method: String
  private let path: String

  init(_ edition: EditionName, _ method: String, template: String) {
    self.edition = edition
    self.method = method
    path = Self.unnamed(template)
  }

  init(_ operation: EditionOperation) {
    self.init(operation.edition, operation.route.method.rawValue, template: operation.route.template)
  }

  /// The operations with this id in the OpenAPI documents, or with this method and path, such as `POST
  /// /workspaces/{id}/channels`. A leading `/v1` or `/v2` may be omitted.
  static func named(_ name: String) -> Set<OperationName> {
    let parts = name.split(separator: " ", maxSplits: 1)
    let documented = Contract.shared.operations
    guard parts.count == 2 else { return Set(documented.filter { $0.value.id == name }.keys) }
    let (method, path) = (parts[0].uppercased(), unnamed(String(parts[1])))
    return Set(documented.keys.filter { $0.method == method && ($0.path == path || $0.versionless == path) })
  }

  /// For an error: `no edition has 'postToChanel'; did you mean postToChannel? Give an operationId of ...`.
  static func unknown(_ name: String, mayHaveStars: Bool) -> String {
    let guess = Spelling.guess(name, among: Set(Contract.shared.operations.values.map(\.id)).sorted())
    return """
      no edition has '\(name)'\(guess.isEmpty ? "; give" : "\(guess) Give") an operationId of GET /openapi/2024-10.json or \
      /openapi/2024-01.json\(mayHaveStars ? ", which may have *" : ""), or method and path with {id} for each parameter
      """
  }

  /// The `operationId`; nil if no document has the operation.
  var id: String? { Contract.shared.operations[self]?.id }

  /// Whether the segments of a path match.
  func matches(_ segments: [some StringProtocol]) -> Bool {
    let own = path.split(separator: "/")
    return own.count == segments.count && zip(own, segments).allSatisfy { $0 == "{}" || $0 == $1 }
  }

  private var versionless: String { String(path.dropFirst().drop { $0 != "/" }) }

  private static func unnamed(_ template: String) -> String {
    template.split(separator: "/").map { $0.hasPrefix("{") ? "/{}" : "/\($0)" }.joined()
  }
}
