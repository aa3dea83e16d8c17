import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1
import SocketIOProtocol

extension HTTPRequest {
  /// The library's conversion looks for a scheme in every target, with a parser of whole URLs; most targets are paths.
  init(_ head: HTTPRequestHead, isSecure: Bool) throws {
    if head.uri.utf8.first == UInt8(ascii: "/") {
      self.init(
        method: try Method(head.method), scheme: isSecure ? "https" : "http",
        authority: head.headers.first(name: "Host"), path: head.uri,
        headerFields: HTTPFields(head.headers, splitCookie: false))
    } else {
      try self.init(head, secure: isSecure, splitCookie: false)
    }
    // What HTTP/1.0 means where it says nothing (RFC 9112, section 9.3): who answers knows of no versions.
    if head.version != .http1_1, !head.isKeepAlive { headerFields[.connection] = "close" }
  }

  /// The path as it was sent.
  package var pathWithoutQuery: Substring {
    let path = path ?? ""
    return path[..<(path.firstIndex(ofByte: UInt8(ascii: "?")) ?? path.endIndex)]
  }

  /// Whether what looks at the head pays no more than its length for it.
  var isCheapToCompare: Bool {
    (path ?? "").isCheapToCompare && (authority ?? "").isCheapToCompare
      && headerFields.allSatisfy { $0.value.isCheapToCompare }
  }

  /// Whether the connection is to end with the response: `close` is among the values of `Connection` (RFC 9112, section 9.6).
  var isLast: Bool {
    guard let values = headerFields[.connection] else { return false }
    if values == "close" { return true }
    return values.utf8.split(separator: UInt8(ascii: ",")).contains { $0.fieldWord == "close" }
  }
}
