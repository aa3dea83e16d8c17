public import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1
import SocketIOProtocol

extension HTTPRequest {
  /// Avoids the library's conversion for paths: it looks for a scheme in every target, with a parser of whole URLs, but most targets are
  /// paths.
  init(_ head: HTTPRequestHead, isSecure: Bool) throws {
    if head.uri.utf8.first == UInt8(ascii: "/") {
      self.init(
        method: try Method(head.method), scheme: isSecure ? "https" : "http",
        authority: head.headers.first(name: "Host"), path: head.uri,
        headerFields: HTTPFields(head.headers, splitCookie: false))
    } else {
      try self.init(head, secure: isSecure, splitCookie: false)
    }
    // The default of HTTP/1.0 (RFC 9112 section 9.3), made explicit because the responder does not know the version.
    if head.version != .http1_1, !head.isKeepAlive { headerFields[.connection] = "close" }
  }

  /// The path as it was sent.
  public var pathWithoutQuery: Substring {
    let path = path ?? ""
    return path[..<(path.firstIndex(ofByte: UInt8(ascii: "?")) ?? path.endIndex)]
  }

  /// Whether comparing any text of the head costs no more than its length.
  var isCheapToCompare: Bool {
    (path ?? "").isCheapToCompare && (authority ?? "").isCheapToCompare
      && headerFields.allSatisfy { $0.value.isCheapToCompare }
  }

  /// Whether the connection must close after the response: `Connection` contains `close` (RFC 9112 section 9.6).
  var isLast: Bool {
    guard let values = headerFields[.connection] else { return false }
    if values == "close" { return true }
    return values.utf8.split(separator: UInt8(ascii: ",")).contains { $0.fieldWord == "close" }
  }
}
