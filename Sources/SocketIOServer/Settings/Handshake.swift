public import HTTPTypes
public import NIOCore
public import SocketIOProtocol

/// Information about a client from the request that opened its session.
public final class Handshake: Sendable {
  /// The header fields of the first request.
  public let headers: HTTPFields
  /// The query of the first request, percent-decoded.
  public let query: QueryString
  /// The peer's address; behind a proxy, the proxy's address.
  public let remoteAddress: SocketAddress?
  /// The transport of the first request.
  public let transport: EngineTransport
  public let revision: EngineRevision
  /// When the session was opened, in milliseconds since 1970.
  public let issued: Int64

  init(_ request: EngineRequest, revision: EngineRevision, transport: EngineTransport, issued: Int64) {
    headers = request.headers
    query = request.query
    remoteAddress = request.remoteAddress
    self.transport = transport
    self.revision = revision
    self.issued = issued
  }

  /// The handshake of a client on another server.
  init(
    headers: HTTPFields, query: QueryString, remoteAddress: SocketAddress?, transport: EngineTransport,
    revision: EngineRevision, issued: Int64
  ) {
    self.headers = headers
    self.query = query
    self.remoteAddress = remoteAddress
    self.transport = transport
    self.revision = revision
    self.issued = issued
  }
}

/// An HTTP request under the server's path, with the parts that Engine.IO uses.
struct EngineRequest: Sendable {
  let method: HTTPRequest.Method
  let headers: HTTPFields
  let query: QueryString
  let remoteAddress: SocketAddress?
  /// The server's host and port as the client names them.
  let authority: String?
  /// The bytes of header fields and target.
  let size: Int

  init(_ head: HTTPRequest, remoteAddress: SocketAddress?) {
    method = head.method
    headers = head.headerFields
    authority = head.authority
    size = head.headerFields.reduce(head.path?.utf8.count ?? 0) {
      $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
    }
    let target = head.path ?? ""
    let mark = target.firstIndex(of: "?")
    query = QueryString(mark.map { target[target.index(after: $0)...] } ?? "")
    self.remoteAddress = remoteAddress
  }

  /// An empty `sid` counts as absent.
  var sid: String? {
    query["sid"].flatMap { $0.isEmpty ? nil : $0 }
  }
}
