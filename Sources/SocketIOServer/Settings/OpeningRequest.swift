public import HTTPTypes
public import NIOCore
public import SocketIOProtocol

extension SocketIOServer {
  /// A request that would open a session.
  public struct OpeningRequest: Sendable {
    public let headers: HTTPFields
    /// The query, percent-decoded.
    public let query: QueryString
    /// The peer's address; behind a proxy, the proxy's address.
    public let remoteAddress: SocketAddress?
    public let transport: EngineTransport

    init(_ request: EngineRequest, transport: EngineTransport) {
      headers = request.headers
      query = request.query
      remoteAddress = request.remoteAddress
      self.transport = transport
    }

    init(_ handshake: Handshake) {
      headers = handshake.headers
      query = handshake.query
      remoteAddress = handshake.remoteAddress
      transport = handshake.transport
    }
  }

  /// The decision about an `OpeningRequest`.
  public enum Verdict: Sendable {
    case allow
    /// The client receives 403 with code 4 and this message.
    case refuse(message: String = "Forbidden")
  }
}
