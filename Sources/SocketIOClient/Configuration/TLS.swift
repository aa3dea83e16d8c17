public import NIOSSL

extension SocketIOClient {
  /// The trusted authorities, and the client's own certificate.
  public struct TLS: Sendable {
    public enum Roots: Sendable {
      /// The authorities that the system trusts.
      case system
      /// The certificates in a PEM file.
      case file(String)
      /// Certificates in PEM.
      case pem([UInt8])
    }

    /// A certificate with its chain, and its private key, unencrypted.
    public enum Identity: Sendable {
      /// Two PEM files.
      case files(chain: String, key: String)
      /// Both in PEM.
      case pem(chain: [UInt8], key: [UInt8])
    }

    /// The authorities that may certify the server. The server's own certificate is allowed, too.
    public var roots = Roots.system
    /// More of them; nil for none.
    public var additionalRoots: Roots?
    /// The certificate for servers that ask for one.
    public var identity: Identity?
    /// The lowest allowed version of TLS.
    public var minimumVersion = TLSVersion.tlsv12
    /// If not empty, the server's certificate must have one of these keys, in addition to being certified. Include a backup key that is
    /// stored elsewhere; otherwise a lost key locks out all clients.
    public var pins: Set<PublicKeyPin> = []

    public init() {}
  }
}

extension SocketIOClient.TLS {
  /// - Throws: ``SocketIOError/badTLS(_:)``, which names the setting that cannot be used.
  package func configuration() throws(SocketIOError) -> TLSConfiguration {
    var settings = TLSConfiguration.makeClientConfiguration()
    settings.minimumTLSVersion = minimumVersion
    settings.trustRoots = try Self.certificates(of: roots).map { .certificates($0) } ?? .default
    if let additionalRoots, let certificates = try Self.certificates(of: additionalRoots) {
      settings.additionalTrustRoots = [.certificates(certificates)]
    }
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

  /// Nil for the system's.
  private static func certificates(of roots: Roots) throws(SocketIOError) -> [NIOSSLCertificate]? {
    switch roots {
    case .system: nil
    case .file(let path): try reading(path) { try NIOSSLCertificate.fromPEMFile(path) }
    case .pem(let bytes): try reading("roots") { try NIOSSLCertificate.fromPEMBytes(bytes) }
    }
  }

  private static func reading<Value>(_ what: String, _ read: () throws -> Value) throws(SocketIOError) -> Value {
    do { return try read() } catch { throw .badTLS("\(what): \(error)") }
  }
}

extension SocketIOClient.TLS.Identity: CustomStringConvertible, CustomReflectable {
  /// Keeps keys out of logs.
  public var description: String {
    switch self {
    case .files(let chain, let key): "files(chain: \(chain), key: \(key))"
    case .pem: "pem(***)"
    }
  }

  public var customMirror: Mirror { Mirror(self, children: []) }
}
