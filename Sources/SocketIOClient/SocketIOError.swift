/// Why a call of a client failed.
public enum SocketIOError: Error, Hashable, Sendable {
  /// The URL is not `http`, `https`, `ws` or `wss` with a host; a proxy's URL is not `http` with a host. The part before an `@` is left
  /// out.
  case badURL(String)
  /// The URL has a path, a query or a fragment, which would be ignored.
  case notOrigin(String)
  /// A namespace begins with `/`.
  case badNamespace(String)
  /// The settings for TLS cannot be used.
  case badTLS(String)
  /// The name has another meaning for every client (`SocketEvent.reservedNames`).
  case reservedName(String)
  /// The namespace is not joined, and its events are not kept.
  case notConnected
  /// Too many bytes wait to be sent, or too many events for acknowledgement.
  case congested
  /// This limit of the configuration, for kept or queued events or their bytes, is reached.
  case full(limit: String)
  /// The acknowledgement did not come in time.
  case timedOut
  /// The reader of a sequence of updates fell behind the limit; it has left its namespaces.
  case tooSlow
  /// The server refused to let the client join the namespace.
  case refused(SocketIOClient.Refusal)
  /// The client was closed.
  case closed
}

extension SocketIOError {
  /// A URL that cannot be used, without its user name and password.
  static func unusable(_ url: String) -> Self {
    .badURL(url.lastIndex(of: "@").map { "***" + url[$0...] } ?? url)
  }
}

extension SocketIOError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .badURL(let url): "\"\(url)\" is not the URL of a server: it needs http, https, ws or wss, and a host"
    case .notOrigin(let url):
      """
      "\(url)" is more than a server's address: pass a namespace to connect(to:), a query as Configuration.query, and Socket.IO's path \
      into Configuration.path
      """
    case .badNamespace(let name): "\"\(name)\" is not a namespace: begin it with a slash, as in \"/chat\""
    case .badTLS(let reason): "TLS cannot be set up: \(reason)"
    case .reservedName(let name): "no event may be called \"\(name)\""
    case .notConnected: "the namespace is not joined"
    case .congested: "too many events wait to be sent or acknowledged"
    case .full(let limit): "no more events are kept: \(limit) is reached"
    case .timedOut: "the acknowledgement did not come in time"
    case .tooSlow: "the reader fell behind"
    case .refused(let refusal): "the server refused: \(refusal.message)"
    case .closed: "the client was closed"
    }
  }
}
