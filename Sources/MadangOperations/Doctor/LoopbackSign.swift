/// A sign of a proxy on the server's machine that the settings do not name: all its clients come from one loopback address.
package enum LoopbackSign: String, CaseIterable, Codable, Sendable {
  case forwardingHeader, foreignHost, severalAccounts

  /// What was seen.
  package var words: String {
    switch self {
    case .forwardingHeader: "a request from a loopback address has a header that proxies write"
    case .foreignHost: "a request from a loopback address calls the server by a name that is not this machine's"
    case .severalAccounts: "several accounts call from one loopback address"
    }
  }

  /// What is wrong, and what to do about it.
  package static let problem =
    "a proxy seems to run on this machine that the settings do not name: all its clients share the limits of one"
  package static let cure =
    "add its address to trusted.proxies and have it send X-Forwarded-For and Host (docs/host.md); if programs of this machine call, ignore this"
}
