import Crypto
import HTTPTypes
import Hummingbird
import MadangCore
import MadangServer
import NIOCore
import SocketIOServer

/// The files of one family of pages, as they are served: made ready once, compressed too.
struct PageSet: Sendable {
  private var files: [String: PageFile]
  /// The page at the root of the family.
  private let start: String

  /// - Parameter start: The name of one of the files.
  init(start: String, _ files: [String: [UInt8]]) {
    self.start = start
    self.files = Dictionary(uniqueKeysWithValues: files.map { ($0, PageFile(named: $0, $1)) })
  }

  /// The same files but for one.
  func replacing(_ name: String, by bytes: [UInt8]) -> PageSet {
    var set = self
    set.files[name] = PageFile(named: name, bytes)
    return set
  }

  /// Answers a request below the root of the family; nil if no file is there, or the method is none for files.
  /// - Parameter path: The segments behind the root.
  func response(to request: Request, at path: some Collection<String>) -> Response? {
    guard path.count <= 1, request.method == .get || request.method == .head else { return nil }
    return files[path.first ?? start]?.response(to: request)
  }
}

/// A file in both forms. Browsers ask each time whether it is still the same, so a new version of the program has no old files beside new
/// ones.
private struct PageFile: Sendable {
  private struct Form {
    let bytes: ByteBuffer
    let headers: HTTPFields
    let tag: String

    init(_ bytes: [UInt8], _ type: String, _ coding: ContentCoding?) {
      self.bytes = ByteBuffer(bytes: bytes)
      tag = "\"\(Array(SHA256.hash(data: bytes).prefix(16)).hex)\""
      var headers = HTTPFields.ofPages
      headers[.contentType] = type
      headers[.eTag] = tag
      headers[.vary] = "Accept-Encoding"
      headers[.contentEncoding] = coding?.rawValue
      self.headers = headers
    }
  }

  private let plain: Form
  /// Nil if it is not smaller.
  private let compressed: Form?

  init(named name: String, _ bytes: [UInt8]) {
    let type = Self.type(of: name)
    plain = Form(bytes, type, nil)
    let small = ContentCoding.gzip.compress(bytes)
    compressed = small.flatMap { $0.count < bytes.count ? Form($0, type, .gzip) : nil }
  }

  func response(to request: Request) -> Response {
    let takesGzip = ContentCoding(accepted: request.headers[.acceptEncoding]) == .gzip
    let form = takesGzip ? compressed ?? plain : plain
    if request.holds(form.tag) { return Response(status: .notModified, headers: form.headers) }
    return Response(status: .ok, headers: form.headers, body: ResponseBody(byteBuffer: form.bytes))
  }

  private static func type(of name: String) -> String {
    switch name.split(separator: ".").last {
    case "html": "text/html; charset=utf-8"
    case "css": "text/css; charset=utf-8"
    case "js": "text/javascript; charset=utf-8"
    case "svg": "image/svg+xml; charset=utf-8"
    case "webmanifest": "application/manifest+json; charset=utf-8"
    case "png": "image/png"
    case "json": "application/json"
    case "md": "text/markdown; charset=utf-8"
    default: "application/octet-stream"
    }
  }
}

extension HTTPFields {
  /// What each page says of itself: only files of this server, no script within a page, no page of another site around or beside it.
  static let ofPages: HTTPFields = [
    .contentSecurityPolicy: """
    default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'; form-action 'self'; \
    base-uri 'none'; frame-ancestors 'none'; manifest-src 'self'; worker-src 'self'; media-src 'self' blob:; \
    require-trusted-types-for 'script'; trusted-types 'none'
    """,
    .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer", .cacheControl: "no-cache",
    .crossOriginOpenerPolicy: "same-origin", .crossOriginResourcePolicy: "same-origin",
  ]
}
