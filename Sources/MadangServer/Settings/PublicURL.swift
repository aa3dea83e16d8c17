import Foundation
import MadangCore

/// The parts of `public.url`, where people reach the server.
struct PublicURL {
  /// IPv6 in brackets.
  let host: String
  let port: Int?
  let isSecure: Bool

  /// Nil for text that names no host by `http` or `https`.
  init?(_ text: String) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(),
      ["http", "https"].contains(scheme), let host = parts.encodedHost, !host.isEmpty
    else { return nil }
    (self.host, port, isSecure) = (urlHost(host), parts.port, scheme == "https")
  }

  var authority: String { port.map { "\(host):\($0)" } ?? host }
  /// As a page of it names it.
  var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }
  /// Whether links to it travel in the clear over a network.
  var isInTheClear: Bool { !isSecure && !isLoopback(host) }
}
