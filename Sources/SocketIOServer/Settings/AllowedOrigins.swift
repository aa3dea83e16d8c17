import HTTPTypes
import SocketIOProtocol

extension SocketIOServer {
  /// The origins of web pages that may use a server. Requests without `Origin`, which pages do not send, are allowed, except if the browser
  /// marks them as cross-site.
  ///
  /// Programs send an origin too: Starscream sends the server's own with the scheme of the socket (`ws://host:port`). So only host and port
  /// are compared, and `http`, `https`, `ws` and `wss` are equal.
  public struct AllowedOrigins: Sendable {
    /// Whether pages of the server's own host and port are allowed, as the request's `Host` names them.
    public var own: Bool
    private let others: Set<WebOrigin>

    /// - Parameter others: Origins such as `https://chat.example.com:8443`. Invalid ones are ignored.
    public init(own: Bool = true, others: some Sequence<String> = []) {
      self.own = own
      self.others = Set(others.compactMap(WebOrigin.init))
    }

    /// Whether a text can be read as an origin.
    public static func isOrigin(_ text: String) -> Bool { WebOrigin(text) != nil }

    /// Whether a request may be answered.
    package func allow(_ headers: HTTPFields, authority: String?) -> Bool {
      guard let origin = headers[.origin] else { return headers[.secFetchSite]?.lowercased() != "cross-site" }
      guard let place = WebOrigin(origin) else { return false }
      return others.contains(place) || own && authority.map { WebOrigin(authority: $0, like: place) == place } ?? false
    }
  }
}
