#if TLS
  public import Foundation
  import NIOSSL
  import Synchronization

  extension SocketIOServer {
    /// A certificate with its chain, and its private key, in PEM files. The files may be replaced while connections are open.
    ///
    /// Connections use TLS 1.2 or 1.3, with ciphers that have forward secrecy and authenticated encryption.
    public final class TLSCertificate: Sendable {
      /// The content of the files.
      private struct Loaded {
        let context: NIOSSLContext
        let notValidAfter: Date
        let chain: [UInt8]
        let key: [UInt8]
      }

      public let chainFile: String
      public let keyFile: String
      private let state: Mutex<Loaded>

      /// Reads both files.
      ///
      /// - Parameters:
      ///   - chainFile: The server's certificate first, then the intermediate certificates.
      ///   - keyFile: An unencrypted key.
      /// - Throws: ``TLSCertificateError``.
      public init(chainFile: String, keyFile: String) throws(TLSCertificateError) {
        self.chainFile = chainFile
        self.keyFile = keyFile
        state = Mutex(try Self.load(chainFile, keyFile))
      }

      /// The end of the server certificate's validity.
      public var notValidAfter: Date { state.withLock { $0.notValidAfter } }

      /// Reads both files again. New connections use their content; existing connections stay unchanged. If the files cannot be used, the
      /// former content stays in use.
      ///
      /// - Returns: Whether the content has changed.
      /// - Throws: ``TLSCertificateError``.
      public func reload() throws(TLSCertificateError) -> Bool {
        let loaded = try Self.load(chainFile, keyFile)
        return state.withLock { current in
          guard loaded.chain != current.chain || loaded.key != current.key else { return false }
          current = loaded
          return true
        }
      }

      func makeHandler() -> NIOSSLServerHandler { NIOSSLServerHandler(context: state.withLock { $0.context }) }

      private static func load(_ chainFile: String, _ keyFile: String) throws(TLSCertificateError) -> Loaded {
        let chainBytes = try read(chainFile)
        let keyBytes = try read(keyFile)
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMBytes(chainBytes) } catch {
          throw TLSCertificateError(chainFile, "has no certificates in PEM (-----BEGIN CERTIFICATE-----)")
        }
        guard let own = chain.first else { throw TLSCertificateError(chainFile, "has no certificate") }
        let key: NIOSSLPrivateKey
        do {
          key = try NIOSSLPrivateKey(bytes: keyBytes, format: .pem) { (_: NIOSSLPassphraseSetter<[UInt8]>) in
            throw Encrypted()
          }
        } catch {
          throw TLSCertificateError(
            keyFile, "has no private key in PEM, or an encrypted one; store it without a password")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
          certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(key))
        configuration.minimumTLSVersion = .tlsv12
        configuration.cipherSuiteValues = ciphers
        configuration.applicationProtocols = ["http/1.1"]
        do {
          return Loaded(
            context: try NIOSSLContext(configuration: configuration),
            notValidAfter: Date(timeIntervalSince1970: TimeInterval(own.notValidAfter)), chain: chainBytes,
            key: keyBytes)
        } catch {
          throw TLSCertificateError(keyFile, "is not the key of the first certificate in \(chainFile)")
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
    /// The file in question.
    public let file: String
    /// The problem and the cure.
    public let reason: String

    init(_ file: String, _ reason: String) { (self.file, self.reason) = (file, reason) }

    public var description: String { "\(file) \(reason)" }
  }

  /// The key is encrypted with a password.
  private struct Encrypted: Error {}
#endif
