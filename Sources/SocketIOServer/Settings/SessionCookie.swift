extension SocketIOServer {
  /// A cookie with the session's id, by which a load balancer can send all requests of a session to one server. It is no credential: the
  /// server does not read it.
  public struct SessionCookie: Sendable {
    public enum SameSite: String, Sendable {
      case strict = "Strict"
      case lax = "Lax"
      /// Pages of other sites send it too. Browsers require `isSecure` then.
      case none = "None"
    }

    public var name: String
    public var path: String
    /// Whether scripts cannot read it.
    public var isHTTPOnly: Bool
    /// Whether it is sent over TLS only.
    public var isSecure: Bool
    public var sameSite: SameSite

    /// The defaults are those of the reference server.
    public init(
      name: String = "io", path: String = "/", isHTTPOnly: Bool = true, isSecure: Bool = false,
      sameSite: SameSite = .lax
    ) {
      self.name = name
      self.path = path
      self.isHTTPOnly = isHTTPOnly
      self.isSecure = isSecure
      self.sameSite = sameSite
    }

    /// The `Set-Cookie` field for a session.
    func field(sid: String) -> String {
      var parts = ["\(name)=\(sid)", "Path=\(path)"]
      if isHTTPOnly { parts.append("HttpOnly") }
      if isSecure { parts.append("Secure") }
      return (parts + ["SameSite=\(sameSite.rawValue)"]).joined(separator: "; ")
    }
  }
}
