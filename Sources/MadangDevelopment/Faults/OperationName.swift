import Foundation
import MadangAPI
import OpenAPI

/// An operation of an edition, with the parameters of its path unnamed.
struct OperationName: Hashable, Sendable {
  let edition: EditionName
  let method: String
  private let path: String

  init(_ edition: EditionName, _ method: String, template: String) {
    self.edition = edition
    self.method = method
    path = Self.unnamed(template)
  }

  /// The operations with this id in the OpenAPI documents, or with this method and path, such as
  /// `POST /workspaces/{id}/channels`. `/v1` or `/v2` in front may be left out.
  static func named(_ name: String) -> Set<OperationName> {
    let parts = name.split(separator: " ", maxSplits: 1)
    guard parts.count == 2 else { return Set(documented.filter { $0.id == name }.map(\.name)) }
    let (method, path) = (parts[0].uppercased(), unnamed(String(parts[1])))
    return Set(
      documented.map(\.name).filter { $0.method == method && ($0.path == path || $0.versionless == path) })
  }

  private var versionless: String { String(path.dropFirst().drop { $0 != "/" }) }

  private static func unnamed(_ template: String) -> String {
    template.split(separator: "/").map { $0.hasPrefix("{") ? "/{}" : "/\($0)" }.joined()
  }

  private struct Document: Decodable {
    struct Operation: Decodable {
      let operationId: String
    }

    struct Path: Decodable {
      let get, post, put, delete: Operation?
    }

    let paths: [String: Path]
  }

  private static let documented: [(id: String, name: OperationName)] = OpenAPIDocuments.all.flatMap {
    edition, json -> [(id: String, name: OperationName)] in
    guard let edition = EditionName(rawValue: edition),
      let document = try? JSONDecoder().decode(Document.self, from: Data(json))
    else { return [] }
    return document.paths.flatMap { template, path in
      [("GET", path.get), ("POST", path.post), ("PUT", path.put), ("DELETE", path.delete)].compactMap {
        method, operation in
        operation.map { ($0.operationId, OperationName(edition, method, template: template)) }
      }
    }
  }
}
