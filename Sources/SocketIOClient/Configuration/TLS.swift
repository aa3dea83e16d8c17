public import NIOSSL

extension SocketIOClient {
  /// Whom the client trusts, and how it shows who it is.
  public struct TLS: Sendable {
    public enum Roots: Sendable {
      /// The authorities that the system trusts.
      case system
      /// The certificates in a file, as PEM.
      case file(String)
      /// Certificates as PEM.
      case pem([UInt8])
    }

    /// A certificate with its chain, and its private key, not encrypted.
    public enum Identity: Sendable {
      /// Two files, as PEM.
      case files(chain: String, key: String)
      /// Both as PEM.
      case pem(chain: [UInt8], key: [UInt8])
    }

    /// Who may vouch for the server. Its own certificate may stand here, too.
    public var roots = Roots.system
    /// What the client shows to servers that ask for a certificate.
    public var identity: Identity?
    /// The lowest version of TLS that is spoken.
    public var minimumVersion = TLSVersion.tlsv12
    /// If not empty: the server's certificate has to have one of these keys, besides being vouched for. Name a second
    /// key that is kept elsewhere, or a lost key locks every client out.
    public var pins: Set<PublicKeyPin> = []

    public init() {}
  }
}

extension SocketIOClient.TLS {
  /// - Throws: ``SocketIOError/badTLS(_:)``, which names what cannot be used.
  func configuration() throws(SocketIOError) -> TLSConfiguration {
    var settings = TLSConfiguration.makeClientConfiguration()
    settings.minimumTLSVersion = minimumVersion
    settings.trustRoots = try trustRoots()
    switch identity {
    case .files(let chain, let key):
      let certificates = try Self.reading(chain) { try NIOSSLCertificate.fromPEMFile(chain) }
      settings.certificateChain = certificates.map { .certificate($0) }
      settings.privateKey = .privateKey(try Self.reading(key) { try NIOSSLPrivateKey(file: key, format: .pem) })
    case .pem(let chain, let key):
      let certificates = try Self.reading("identity") { try NIOSSLCertificate.fromPEMBytes(chain) }
      settings.certificateChain = certificates.map { .certificate($0) }
      settings.privateKey = .privateKey(
        try Self.reading("the identity's key") { try NIOSSLPrivateKey(bytes: key, format: .pem) })
    case nil: break
    }
    return settings
  }

  private func trustRoots() throws(SocketIOError) -> NIOSSLTrustRoots {
    switch roots {
    case .system: .default
    case .file(let path): .certificates(try Self.reading(path) { try NIOSSLCertificate.fromPEMFile(path) })
    case .pem(let bytes): .certificates(try Self.reading("roots") { try NIOSSLCertificate.fromPEMBytes(bytes) })
    }
  }

  private static func reading<Value>(_ what: String, _ read: () throws -> Value) throws(SocketIOError) -> Value {
    do { return try read() } catch { throw .badTLS("\(what): \(error)") }
  }
}

extension SocketIOClient.TLS.Identity: CustomStringConvertible, CustomReflectable {
  /// For logs, which are no place for keys.
  public var description: String {
    switch self {
    case .files(let chain, let key): "files(chain: \(chain), key: \(key))"
    case .pem: "pem(***)"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
