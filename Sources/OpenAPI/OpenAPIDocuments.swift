import OpenAPIFiles

/// The OpenAPI documents, embedded in the binary.
package enum OpenAPIDocuments {
  /// Each edition of the wire.
  package static let all = [
    (edition: "2024-10", json: openapi_2024_10().array), (edition: "2024-01", json: openapi_2024_01().array),
  ]

  /// The calls of development mode, below `/_dev`.
  package static let development = openapi_development().array

  /// The calls of pages, below `/web`.
  package static let web = openapi_web().array
}

extension OpenAPIFile {
  fileprivate var array: [UInt8] { Array(UnsafeBufferPointer(start: bytes, count: count)) }
}
