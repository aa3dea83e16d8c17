/// The OpenAPI document of each edition, embedded in the binary.
package enum OpenAPIDocuments {
  package static let all: [(edition: String, json: [UInt8])] = [
    ("2024-10", PackageResources._024_10_json), ("2024-01", PackageResources._024_01_json),
  ]
}
