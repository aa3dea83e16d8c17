extension SocketIOServer {
  /// A cookie that carries the session's id, so that a load balancer can send all requests of a session to one server.
  /// It is no proof of anything: the server does not read it.
  public struct SessionCookie: Sendable {
    public enum SameSite: String, Sendable {
      case strict = "Strict"
      case lax = "Lax"
      /// Pages of other sites send it too; browsers want `isSecure` with it.
      case none = "None"
    }

    public var name: String
    public var path: String
    /// Whether scripts are kept from reading it.
    public var isHTTPOnly: Bool
    /// Whether it travels over TLS only.
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
