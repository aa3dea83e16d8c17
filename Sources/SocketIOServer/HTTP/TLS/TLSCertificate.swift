#if TLS
  public import Foundation
  import NIOCore
  import NIOSSL
  import Synchronization

  extension SocketIOServer {
    /// A certificate with its chain, and its private key, in PEM: from files or from memory. It may be replaced while connections are open.
    ///
    /// Connections use TLS 1.2 or 1.3, with ciphers that have forward secrecy and authenticated encryption.
    public final class TLSCertificate: Sendable {
      /// The certificate in use.
      private struct Loaded {
        let context: NIOSSLContext
        let notValidAfter: Date
        let chain: [UInt8]
        let key: [UInt8]
      }

      private struct State {
        var loaded: Loaded
        /// What authorities get that call to verify a name, by name; empty at most times.
        var proofs: [String: NIOSSLContext] = [:]
      }

      /// Where a certificate in memory comes from, in errors.
      private static let memory = ("the certificate", "the private key")

      /// The files; nil for a certificate in memory.
      private let files: (chain: String, key: String)?
      private let state: Mutex<State>

      /// Reads both files.
      ///
      /// - Parameters:
      ///   - chainFile: The server's certificate first, then the intermediate certificates.
      ///   - keyFile: An unencrypted key.
      /// - Throws: ``TLSCertificateError``.
      public init(chainFile: String, keyFile: String) throws(TLSCertificateError) {
        files = (chainFile, keyFile)
        state = Mutex(State(loaded: try Self.load(chainFile, keyFile)))
      }

      /// Uses a certificate in memory.
      ///
      /// - Parameters:
      ///   - chain: In PEM, the server's certificate first, then the intermediate certificates.
      ///   - key: An unencrypted key in PEM.
      /// - Throws: ``TLSCertificateError``.
      public init(chain: [UInt8], key: [UInt8]) throws(TLSCertificateError) {
        files = nil
        state = Mutex(State(loaded: try Self.make(chain, key, named: Self.memory)))
      }

      /// The end of the server certificate's validity.
      public var notValidAfter: Date { state.withLock { $0.loaded.notValidAfter } }

      /// The file with the chain; nil for a certificate in memory.
      public var chainFile: String? { files?.chain }

      /// Reads both files again. New connections use their content; existing connections stay unchanged. If the files cannot be used, the
      /// former content stays in use.
      ///
      /// - Returns: Whether the content has changed; false for a certificate in memory.
      /// - Throws: ``TLSCertificateError``.
      public func reload() throws(TLSCertificateError) -> Bool {
        guard let files else { return false }
        return use(try Self.load(files.chain, files.key))
      }

      /// Replaces the certificate. New connections use it; existing connections stay unchanged.
      ///
      /// - Throws: ``TLSCertificateError``; the former certificate then stays in use.
      public func use(chain: [UInt8], key: [UInt8]) throws(TLSCertificateError) {
        _ = use(try Self.make(chain, key, named: Self.memory))
      }

      private func use(_ loaded: Loaded) -> Bool {
        state.withLock { state in
          guard loaded.chain != state.loaded.chain || loaded.key != state.loaded.key else { return false }
          state.loaded = loaded
          return true
        }
      }

      /// Answers authorities that call with the protocol `acme-tls/1` to verify a name (RFC 8737). They get the certificate of that name
      /// until this is called again; an empty dictionary ends it. While there is one, each new connection is looked at before TLS begins.
      ///
      /// - Parameter certificates: Chains and keys in PEM, by name in lower case.
      /// - Throws: ``TLSCertificateError``.
      public func answerAuthorities(
        _ certificates: [String: (chain: [UInt8], key: [UInt8])]
      ) throws(TLSCertificateError) {
        var proofs: [String: NIOSSLContext] = [:]
        for (name, pair) in certificates {
          proofs[name] = try Self.make(pair.chain, pair.key, named: Self.memory, speaking: "acme-tls/1").context
        }
        state.withLock { $0.proofs = proofs }
      }

      /// Adds the handlers that a new connection needs.
      func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations) throws {
        let (context, proofs) = state.withLock { ($0.loaded.context, $0.proofs) }
        if !proofs.isEmpty { try pipeline.addHandler(AuthorityCallHandler(proofs)) }
        try pipeline.addHandler(PlainTextRefusal())
        try pipeline.addHandler(NIOSSLServerHandler(context: context))
      }

      private static func load(_ chainFile: String, _ keyFile: String) throws(TLSCertificateError) -> Loaded {
        try make(try read(chainFile), try read(keyFile), named: (chainFile, keyFile))
      }

      /// - Parameter names: Of chain and key, for errors.
      private static func make(
        _ chainBytes: [UInt8], _ keyBytes: [UInt8], named names: (chain: String, key: String),
        speaking applicationProtocol: String = "http/1.1"
      ) throws(TLSCertificateError) -> Loaded {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMBytes(chainBytes) } catch {
          throw TLSCertificateError(names.chain, "has no certificates in PEM (-----BEGIN CERTIFICATE-----)")
        }
        guard let own = chain.first else { throw TLSCertificateError(names.chain, "has no certificate") }
        let key: NIOSSLPrivateKey
        do {
          key = try NIOSSLPrivateKey(bytes: keyBytes, format: .pem) { (_: NIOSSLPassphraseSetter<[UInt8]>) in
            throw Encrypted()
          }
        } catch {
          throw TLSCertificateError(
            names.key, "has no private key in PEM, or an encrypted one; store it without a password")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = ciphers
        configuration.applicationProtocols = [applicationProtocol]
        do {
          return Loaded(
            context: try NIOSSLContext(configuration: configuration),
            notValidAfter: Date(timeIntervalSince1970: TimeInterval(own.notValidAfter)), chain: chainBytes,
            key: keyBytes)
        } catch {
          throw TLSCertificateError(names.key, "is not the key of the first certificate in \(names.chain)")
        }
      }

      /// The ciphers of TLS 1.2. All ciphers of TLS 1.3 have these properties.
      private static let ciphers: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
      ]

      /// The most bytes that are read from a file.
      private static let maxFile = 1 << 20

      private static func read(_ path: String) throws(TLSCertificateError) -> [UInt8] {
        // Other kinds of files may have no end.
        let place = URL(filePath: path).resolvingSymlinksInPath()
        let attributes = try? FileManager.default.attributesOfItem(atPath: place.path)
        if let type = attributes?[.type] as? FileAttributeType, type != .typeRegular {
          throw TLSCertificateError(path, "is not a file; name a PEM file")
        }
        guard access(path, R_OK) == 0 else {
          throw TLSCertificateError(path, "cannot be read: \(String(cString: strerror(errno)))")
        }
        do {
          let file = try FileHandle(forReadingFrom: URL(filePath: path))
          defer { try? file.close() }
          return Array(try file.read(upToCount: maxFile) ?? Data())
        } catch {
          throw TLSCertificateError(path, "cannot be read: \(error.localizedDescription)")
        }
      }
    }
  }

  /// Why a certificate or key cannot be used.
  public struct TLSCertificateError: Error, CustomStringConvertible {
    /// The file in question, or words for a certificate in memory.
    public let file: String
    /// The problem and the cure.
    public let reason: String

    init(_ file: String, _ reason: String) { (self.file, self.reason) = (file, reason) }

    public var description: String { "\(file) \(reason)" }
  }

  /// The key is encrypted with a password.
  private struct Encrypted: Error {}
#endif
