public import HTTPTypes
public import NIOCore
public import SocketIOProtocol

extension SocketIOServer {
  /// A request of a client that is answered, or that is refused.
  public struct EngineHTTPRequest: Sendable {
    public let headers: HTTPFields
    /// The query, percent-decoded. Its `sid` is as good as the client's credentials: keep it out of logs.
    public let query: QueryString
    /// The peer's address; behind a proxy that of the proxy.
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

  /// A request that was refused before or by its session.
  public struct RefusedRequest: Sendable {
    public let request: EngineHTTPRequest
    /// The code and status the client is answered with.
    public let refusal: EngineRefusal
    /// What the client is told, or shown instead of the standard text.
    public let message: String
  }
}

extension HTTPFields {
  /// Fields that the connection's own layers write: an application's would contradict them.
  private static let framing: Set<HTTPField.Name> = [
    .connection, .contentLength, .transferEncoding, .upgrade, .secWebSocketAccept, .secWebSocketExtensions,
  ]

  /// Takes over an application's fields in place of those with the same names.
  mutating func replace(with fields: HTTPFields) {
    let added = fields.filter { !Self.framing.contains($0.name) }
    for field in added { self[field.name] = nil }
    for field in added { append(field) }
  }
}

extension ServerCore {
  /// Tells the log and the application of a request that is refused.
  func refused(_ request: EngineRequest, _ flaw: RequestFlaw) {
    log(flaw, of: request)
    configuration.requestRefused?(
      .init(request: .init(request), refusal: flaw.refusal, message: flaw.message ?? flaw.refusal.message))
  }
}
