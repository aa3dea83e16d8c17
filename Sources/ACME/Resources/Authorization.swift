/// The permission to get certificates for a name (RFC 8555, section 7.1.4).
struct Authorization: Decodable, Sendable {
  enum Status: String, Decodable, Sendable {
    case pending, valid, invalid, deactivated, expired, revoked
  }

  let identifier: Identifier
  let status: Status
  let challenges: [Challenge]
}

/// One way to prove control of a name (RFC 8555, section 8).
package struct Challenge: Decodable, Sendable {
  package enum Kind: String, CaseIterable, Sendable {
    /// A file that the name's server has at port 80.
    case http01 = "http-01"
    /// A certificate that the name's server shows at port 443 (RFC 8737).
    case tlsALPN01 = "tls-alpn-01"

    /// The port that the authority calls.
    package var port: Int { self == .http01 ? 80 : 443 }
  }

  /// Authorities have kinds that this program does not know.
  let type: String
  let url: String
  let token: String?
  let error: Problem?
}
