public import HTTPTypes
public import NIOCore
public import SocketIOProtocol

extension SocketIOServer {
  /// An HTTP request of a client, as hooks see it.
  public struct EngineHTTPRequest: Sendable {
    public let headers: HTTPFields
    /// The query, percent-decoded. Its `sid` gives full access to the session: do not log it.
    public let query: QueryString
    /// The peer's address; behind a proxy, the proxy's address.
    public let remoteAddress: SocketAddress?
    /// Whether it names no session, and so would open one.
    public let isOpening: Bool

    init(_ request: EngineRequest) {
      headers = request.headers
      query = request.query
      remoteAddress = request.remoteAddress
      isOpening = request.sid == nil
    }
  }

  /// A request that was refused, by the server or by its session.
  public struct RefusedRequest: Sendable {
    public let request: EngineHTTPRequest
    /// The error code and status of the answer.
    public let refusal: EngineRefusal
    /// The message of the answer.
    public let message: String
  }
}

extension HTTPFields {
  /// Fields that the connection's own layers write; fields of the application would contradict them.
  private static let framing: Set<HTTPField.Name> = [
    .connection, .contentLength, .transferEncoding, .upgrade, .secWebSocketAccept, .secWebSocketExtensions,
  ]

  /// Replaces fields by those of the application with the same names.
  mutating func replace(with fields: HTTPFields) {
    let added = fields.filter { !Self.framing.contains($0.name) }
    for field in added { self[field.name] = nil }
    for field in added { append(field) }
  }
}
