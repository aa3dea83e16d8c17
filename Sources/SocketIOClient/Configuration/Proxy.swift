import Foundation

extension SocketIOClient {
  /// An HTTP proxy that opens tunnels to servers (CONNECT, RFC 9110 section 9.3.6).
  public struct Proxy: Hashable, Sendable {
    public let host: String
    public let port: Int
    /// Shown to the proxy with the Basic scheme (RFC 7617), if it has any.
    let credentials: Credentials?

    struct Credentials: Hashable, Sendable {
      let user: String
      let password: String

      var base64: String { Data("\(user):\(password)".utf8).base64EncodedString() }
    }

    /// - Parameter url: Such as `http://user:password@proxy.example:3128`; user and password are percent-encoded, and
    ///   may be missing. The port is 80 if there is none.
    /// - Throws: ``SocketIOError/badURL(_:)``.
    public init(url: String) throws(SocketIOError) {
      guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http", let host = parts.host,
        !host.isEmpty
      else { throw .unusable(url) }
      self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      port = parts.port ?? 80
      credentials = parts.user.map { Credentials(user: $0, password: parts.password ?? "") }
      // The first colon would end the name.
      guard credentials?.user.contains(":") != true else { throw .unusable(url) }
    }
  }
}

extension SocketIOClient.Proxy.Credentials: CustomStringConvertible, CustomReflectable {
  /// For logs, which are no place for passwords.
  var description: String { "***" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
