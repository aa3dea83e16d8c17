import MadangCore

/// How a server speaks TLS itself.
public struct TLSSettings: Sendable {
  public var certificateFile = setting(
    "tls.cert", "", .text, "certificate with its chain, in PEM, for TLS; empty for plain HTTP")
  public var keyFile = setting("tls.key", "", .text, "the certificate's private key, in PEM")
  public var redirectPort: Int? = setting(
    "tls.redirect.port", nil, .portOrNone,
    "with TLS: a port for plain HTTP that sends pages for people to public.url and refuses all else; empty for none")
  /// How often the files are looked at.
  public var reloadInterval: Duration = .seconds(60)

  public init() {}

  /// Whether the server speaks TLS itself.
  public var isUsed: Bool { !certificateFile.isEmpty }

  func problems(besides port: Int) -> [String] {
    if certificateFile.isEmpty && keyFile.isEmpty {
      guard redirectPort != nil else { return [] }
      return ["tls.redirect.port: needs TLS; name the files with --tls-cert and --tls-key"]
    }
    guard !certificateFile.isEmpty && !keyFile.isEmpty else {
      return ["--tls-cert, --tls-key: belong together; give both, or neither for plain HTTP"]
    }
    guard port == 0 || port != redirectPort else {
      return ["tls.redirect.port: \(port) is the port that speaks TLS; choose another, usually 80"]
    }
    return []
  }
}
