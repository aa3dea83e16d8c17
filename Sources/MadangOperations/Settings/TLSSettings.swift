import MadangCore

/// TLS by the server itself.
public struct TLSSettings: Sendable {
  public var certificateFile = setting(
    "tls.cert", "", .text, "certificate with its chain, in PEM, for TLS; empty for plain HTTP")
  public var keyFile = setting("tls.key", "", .text, "the certificate's private key, in PEM")
  public var redirectPort: Int? = setting(
    "tls.redirect.port", nil, .portOrNone,
    "with TLS: a port for plain HTTP that redirects pages to public.url and refuses all other requests; empty for none")
  public var acme = ACMESettings()
  /// How often the files are checked for changes.
  public var reloadInterval: Duration = .seconds(60)

  public init() {}

  /// Whether the server uses TLS itself.
  public var isUsed: Bool { hasFiles || acme.isUsed }
  /// Whether the certificate is in files that someone else renews.
  package var hasFiles: Bool { !certificateFile.isEmpty }

  /// What to do about files that cannot be used.
  package static let fileCure =
    "name the certificate with its chain (tls.cert) and its key (tls.key), in PEM, both readable for the server's user"

  func problems(besides port: Int) -> [String] {
    guard !acme.isUsed else { return acmeProblems(besides: port) }
    if certificateFile.isEmpty && keyFile.isEmpty {
      guard redirectPort != nil else { return [] }
      return ["tls.redirect.port: needs TLS; set tls.acme, or name the files with --tls-cert and --tls-key"]
    }
    guard !certificateFile.isEmpty && !keyFile.isEmpty else {
      return ["--tls-cert, --tls-key: belong together; give both, or neither for plain HTTP"]
    }
    return portProblems(besides: port)
  }

  private func acmeProblems(besides port: Int) -> [String] {
    guard certificateFile.isEmpty && keyFile.isEmpty else {
      return [
        "tls.acme, tls.cert, tls.key: exclude each other; leave out tls.cert and tls.key, and the server orders its certificate, or leave out "
          + "tls.acme to keep the files"
      ]
    }
    return acme.problems(port: port, redirectPort: redirectPort) + portProblems(besides: port)
  }

  private func portProblems(besides port: Int) -> [String] {
    guard port == 0 || port != redirectPort else {
      return ["tls.redirect.port: \(port) is already the port for TLS; choose another, usually 80"]
    }
    return []
  }
}
