import Foundation
import NIOCore

/// The parts of a server's URL that a connection needs.
public struct ServerAddress: Sendable {
  let host: String
  let port: Int
  let isSecure: Bool

  /// - Throws: ``SocketIOError`` if it is not a URL of `http`, `https`, `ws` or `wss`.
  public init(url: String) throws(SocketIOError) {
    guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty else { throw .unusable(url) }
    switch parts.scheme?.lowercased() {
    case "http", "ws": isSecure = false
    case "https", "wss": isSecure = true
    default: throw .unusable(url)
    }
    self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    port = parts.port ?? (isSecure ? 443 : 80)
  }

  /// Refuses a URL with more than an origin: in the JavaScript client a path is a namespace; here it would be ignored.
  static func requireOrigin(_ url: String) throws(SocketIOError) {
    guard let parts = URLComponents(string: url) else { return }
    guard ["", "/"].contains(parts.path), parts.query == nil, parts.fragment == nil else { throw .notOrigin(url) }
  }

  /// The address as a URL without a path.
  public var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

  /// The value of the `Host` header.
  var authority: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The address in the form for a CONNECT request to a proxy.
  var hostAndPort: String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

  /// Whether the host is an IP address.
  var isNumeric: Bool { (try? SocketAddress(ipAddress: host, port: 0)) != nil }
}

extension SocketIOClient {
  /// RFC 3986 unreserved characters stay; every other byte becomes `%XX`.
  static func escaped(_ text: String) -> String {
    let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
    return text.addingPercentEncoding(withAllowedCharacters: unreserved) ?? ""
  }
}
