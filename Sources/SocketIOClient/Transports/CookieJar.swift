import AsyncHTTPClient
import Foundation

/// The cookies of one server (RFC 6265): they are sent with requests to it until they expire.
///
/// It is used only for requests to its own server, so it compares hosts only to reject cookies of other hosts.
struct CookieJar {
  private struct Kept {
    let cookie: HTTPClient.Cookie
    let expires: Date
  }

  private let host: String
  private let isSecure: Bool
  private let path: String
  private let maxCount: Int
  private let maxBytes: Int
  /// In the order of arrival.
  private var kept: [Kept] = []

  init(_ address: ServerAddress, _ configuration: SocketIOClient.Configuration) {
    host = address.host.lowercased()
    isSecure = address.isSecure
    path = configuration.path
    maxCount = configuration.maxCookies
    maxBytes = configuration.maxCookieBytes
  }

  /// Stores the cookie of a `Set-Cookie` header.
  mutating func take(_ header: String, at now: Date) {
    guard let cookie = HTTPClient.Cookie(header: header, defaultDomain: host), isOurs(cookie), Self.isPlain(cookie),
      // A larger cookie would displace all others, and then itself.
      Self.byteCount(cookie) <= maxBytes
    else {
      return
    }
    kept.removeAll { $0.cookie.name == cookie.name && $0.cookie.path == cookie.path }
    let expires = cookie.maxAge.map { now.addingTimeInterval(Double($0)) } ?? cookie.expires ?? .distantFuture
    guard expires > now else { return }
    kept.append(Kept(cookie: cookie, expires: expires))
    while !kept.isEmpty, kept.count > maxCount || byteCount > maxBytes { kept.removeFirst() }
  }

  /// The value of the `Cookie` header; nil if there is none.
  mutating func header(at now: Date) -> String? {
    kept.removeAll { $0.expires <= now }
    return kept.isEmpty ? nil : kept.map { "\($0.cookie.name)=\($0.cookie.value)" }.joined(separator: "; ")
  }

  private var byteCount: Int { kept.reduce(0) { $0 + Self.byteCount($1.cookie) } }

  private static func byteCount(_ cookie: HTTPClient.Cookie) -> Int {
    cookie.name.utf8.count + cookie.value.utf8.count
  }

  /// All requests have one path, so a cookie for another path is not kept.
  private func isOurs(_ cookie: HTTPClient.Cookie) -> Bool {
    let domain = cookie.domain ?? host
    let isForHost = domain == host || host.hasSuffix(".\(domain)")
    let isForPath =
      path.hasPrefix(cookie.path)
      && (path.count == cookie.path.count || cookie.path.hasSuffix("/")
        || path.dropFirst(cookie.path.count).first == "/")
    return isForHost && isForPath && (isSecure || !cookie.secure)
  }

  private static func isPlain(_ cookie: HTTPClient.Cookie) -> Bool {
    (cookie.name + cookie.value).utf8.allSatisfy { (0x20...0x7e).contains($0) && $0 != UInt8(ascii: ";") }
  }
}
