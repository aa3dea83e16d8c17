/// A sign of a proxy on the server's machine that is not in the settings: all its clients share one loopback address.
package enum LoopbackSign: String, CaseIterable, Codable, Sendable {
  case forwardingHeader, foreignHost, severalAccounts

  /// The sign, in words.
  package var words: String {
    switch self {
    case .forwardingHeader: "a request from a loopback address has a header that proxies add"
    case .foreignHost: "a request from a loopback address has another Host than this machine"
    case .severalAccounts: "several accounts use one loopback address"
    }
  }

  /// The problem and its cure.
  package static let problem =
    "a proxy that is not in trusted.proxies seems to run on this machine: all its clients share the limits of one client"
  package static let cure =
    "add its address to trusted.proxies and let it send X-Forwarded-For and Host (docs/host.md); ignore this if only programs of this machine call"
}

extension DoctorFinding {
  /// A proxy that is not in the settings; none without a sign of it.
  static func proxies(_ signs: [LoopbackSign]) -> [DoctorFinding] {
    guard !signs.isEmpty else { return [] }
    return [
      DoctorFinding(
        .proxyTrust, .error, "\(LoopbackSign.problem) (\(signs.map(\.words).joined(separator: "; ")))",
        cure: LoopbackSign.cure)
    ]
  }
}
