import Foundation
import MadangCore

/// The parts of `public.url`, where people reach the server.
package struct PublicURL {
  /// IPv6 in brackets.
  package let host: String
  package let port: Int?
  package let isSecure: Bool

  /// Nil for text that names no host by `http` or `https`.
  package init?(_ text: String) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.encodedHost, !host.isEmpty
    else { return nil }
    (self.host, port, isSecure) = (urlHost(host), parts.port, scheme == "https")
  }

  package var authority: String { port.map { "\(host):\($0)" } ?? host }
  /// As a page of it names it.
  package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }
  /// Whether links to it travel in the clear over a network.
  package var isInTheClear: Bool { !isSecure && !isLoopback(host) }
}
