import Foundation

extension SocketIOClient {
  /// An HTTP proxy that opens tunnels to servers (CONNECT, RFC 9110 section 9.3.6).
  public struct Proxy: Hashable, Sendable {
    public let host: String
    public let port: Int
    /// Sent to the proxy with the Basic scheme (RFC 7617).
    let credentials: Credentials?

    struct Credentials: Hashable, Sendable {
      let user: String
      let password: String

      var base64: String { Data("\(user):\(password)".utf8).base64EncodedString() }
    }

    /// - Parameter url: For example `http://user:password@proxy.example:3128`. User and password are percent-encoded and optional. The
    ///   default port is 80.
    /// - Throws: ``SocketIOError/badURL(_:)``.
    public init(url: String) throws(SocketIOError) {
      guard let parts = URLComponents(string: url), parts.scheme?.lowercased() == "http", let host = parts.host,
        !host.isEmpty
      else { throw .unusable(url) }
      self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
      port = parts.port ?? 80
      credentials = parts.user.map { Credentials(user: $0, password: parts.password ?? "") }
      // A colon would end the user name.
      guard credentials?.user.contains(":") != true else { throw .unusable(url) }
    }
  }
}

extension SocketIOClient.Proxy.Credentials: CustomStringConvertible, CustomReflectable {
  /// Keeps passwords out of logs.
  var description: String { "***" }
  var customMirror: Mirror { Mirror(self, children: []) }
}
