import ACME
import Foundation
import MadangCore
import MadangProviders
import NIOSSL

/// Certificates that the server orders by itself.
public struct ACMESettings: Sendable {
  /// How control of a name is proven.
  public enum ChallengeChoice: String, CaseIterable, Sendable {
    /// By the port that the server has: 443 or 80. With both, the other one follows a failure.
    case auto
    case tlsALPN01 = "tls-alpn-01"
    case http01 = "http-01"
  }

  /// In lower case, in the order of the setting.
  public var names: [String] = setting(
    "tls.acme", [], .domainNames,
    "names for which the server orders a certificate by itself, with commas between them, which accepts the authority's terms; empty for "
      + "none")
  public var directory = setting(
    "tls.acme.directory", "https://acme-v02.api.letsencrypt.org/directory", .text,
    "the directory of the authority that signs the certificate (ACME); the default is Let's Encrypt")
  public var email = setting(
    "tls.acme.email", "", .text, "address at which the authority may reach you; empty for none")
  public var challenge: ChallengeChoice = setting(
    "tls.acme.challenge", .auto, .word,
    "how the authority verifies a name: tls-alpn-01 at port 443, http-01 at port 80 (tls.redirect.port), or auto")
  public var authorities = setting(
    "tls.acme.ca.file", "", .text,
    "PEM file of certificate authorities trusted for the directory, in addition to the system's; empty for none")
  public var externalAccountID = setting(
    "tls.acme.eab.kid", "", .text, "key id of your account at an authority that needs one (external account binding)")
  public var externalAccountKey = setting(
    "tls.acme.eab.key", "", .text, "the HMAC key of that account, in Base64", .secret)
  /// How often a server looks for a certificate of another one, for proofs, and for a due renewal.
  public var interval: Duration = .seconds(2)

  public init() {}

  public var isUsed: Bool { !names.isEmpty }

  /// The account of a customer at the authority; nil if none is set.
  var externalAccount: ExternalAccount? { ExternalAccount(id: externalAccountID, key: externalAccountKey) }

  /// Roots to trust in addition to the system's. Throws ``SetupError``.
  func roots() throws -> [NIOSSLCertificate] {
    guard !authorities.isEmpty else { return [] }
    return try TrustedAuthorities.read(authorities, named: "tls.acme.ca.file")
  }

  /// The kinds of challenge that can work, the best one first.
  /// - Parameters:
  ///   - port: The port for TLS.
  ///   - redirectPort: The port for plain HTTP; nil if there is none.
  func challenges(port: Int, redirectPort: Int?) -> [Challenge.Kind] {
    switch challenge {
    case .tlsALPN01: [.tlsALPN01]
    case .http01: redirectPort == nil ? [] : [.http01]
    case .auto: (port == 443 ? [.tlsALPN01] : []) + (redirectPort == nil ? [] : [.http01])
    }
  }

  func problems(port: Int, redirectPort: Int?) -> [String] {
    var problems: [String] = []
    if names.count > 100 { problems.append("tls.acme: names at most 100 names, the most that one certificate has") }
    let isLocal = directory.hasPrefix("http://") && (URL(string: directory)?.host()).map(isLoopback) ?? false
    if !AuthorityAddress.isUsable(directory) || !isLocal && !directory.hasPrefix("https://") {
      problems.append("tls.acme.directory: '\(directory)' is not an address that begins with https://")
    }
    if !email.isEmpty, MailAddress(email) == nil {
      problems.append("tls.acme.email: '\(email)' is not a mail address; write one like you@example.com")
    }
    if challenges(port: port, redirectPort: redirectPort).isEmpty {
      problems.append(
        challenge == .http01
          ? "tls.acme.challenge: http-01 needs tls.redirect.port, to which port 80 leads; usually 80"
          : "tls.acme: the authority must reach this server: set port to 443, or tls.redirect.port to 80; if a router or container "
            + "leads port 443 to port \(port), set tls.acme.challenge to tls-alpn-01")
    }
    if externalAccountID.isEmpty != externalAccountKey.isEmpty {
      problems.append("tls.acme.eab.kid, tls.acme.eab.key: belong together; give both, or neither")
    } else if !externalAccountID.isEmpty, externalAccount == nil {
      problems.append("tls.acme.eab.key: is not Base64; copy it as the authority shows it")
    }
    if !authorities.isEmpty {
      do { _ = try roots() } catch { problems.append("\(error)") }
    }
    return problems
  }
}

extension SettingForm where Value == [String] {
  /// Names of servers, in lower case, each once.
  fileprivate static var domainNames: Self {
    Self(
      "write names like chat.example.com with commas between them, international ones in their DNS form (xn--...), no addresses and no "
        + "wildcards",
      read: { text in
        var names: [String] = []
        for part in text.split(separator: ",") {
          let name = part.trimmingWhitespace().lowercased()
          guard isDomainName(name) else { return nil }
          if !names.contains(name) { names.append(name) }
        }
        return names
      }, write: { $0.joined(separator: ",") })
  }
}
