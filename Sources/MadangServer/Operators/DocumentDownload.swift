import Crypto
import HTTPTypes
import Hummingbird
import MadangCore
import NIOCore
import OpenAPI

/// An edition's OpenAPI document as it is served, without an API key: `/openapi/2024-10.json`.
struct DocumentDownload: Sendable {
  private let name: String
  private let bytes: ByteBuffer
  private let etag: String

  private static let all = OpenAPIDocuments.all.map { document in
    DocumentDownload(
      name: document.edition + ".json", bytes: ByteBuffer(bytes: document.json),
      etag: "\"\(SHA256.hash(data: document.json).hex)\"")
  }

  /// The document a path's last segment names.
  static func named(_ name: String) -> DocumentDownload? { all.first { $0.name == name } }

  func response(to request: Request) -> Response {
    var headers: HTTPFields = .json
    headers[.contentType] = "application/json"
    headers[.cacheControl] = "no-cache"
    headers[.eTag] = etag
    if request.holds(etag) { return Response(status: .notModified, headers: headers) }
    return Response(status: .ok, headers: headers, body: ResponseBody(byteBuffer: bytes))
  }
}

extension Request {
  /// Whether the client says that it holds the bytes with this tag.
  package func holds(_ etag: String) -> Bool {
    headers[.ifNoneMatch].map { $0 == "*" || $0.contains(etag) } ?? false
  }
}
