import Foundation
import MadangCore

/// The parts of `public.url`.
package struct PublicURL {
  /// IPv6 in brackets.
  package let host: String
  package let port: Int?
  package let isSecure: Bool

  /// Nil if the text has no host, or another scheme than `http` and `https`.
  package init?(_ text: String) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.encodedHost, !host.isEmpty
    else { return nil }
    (self.host, port, isSecure) = (urlHost(host), parts.port, scheme == "https")
  }

  package var authority: String { port.map { "\(host):\($0)" } ?? host }
  /// The origin of its pages.
  package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }
  /// Whether links to it cross a network without encryption.
  package var isInTheClear: Bool { !isSecure && !isLoopback(host) }
}
