import ACME
import Foundation
import Logging
import MadangCore
import ServiceLifecycle
import SocketIOProtocol
import Synchronization

/// Orders the server's certificate, renews it, and shows it and the proofs of its names. Servers of one database share all of it: one
/// orders, the others take what it stored.
package final class CertificateWork: ServiceLifecycle.Service {
  /// A certificate with its chain, and its private key, in PEM.
  package typealias PEMPair = (chain: String, key: String)

  /// How the listeners show certificates.
  package struct Listener: Sendable {
    /// Throws if no connection could use this certificate.
    let check: @Sendable (PEMPair) throws -> Void
    /// New connections get this certificate.
    let serve: @Sendable (PEMPair) throws -> Void
    /// Calls of authorities (`acme-tls/1`) get the certificate of the name that they ask for; an empty list ends that.
    let answerCalls: @Sendable ([(name: String, pair: PEMPair)]) throws -> Void
    /// Whether authorities can call. Before, nothing is ordered: a server whose port is taken would order at each start.
    let isListening: @Sendable () -> Bool

    package init(
      check: @escaping @Sendable (PEMPair) throws -> Void,
      serve: @escaping @Sendable (PEMPair) throws -> Void,
      answerCalls: @escaping @Sendable ([(name: String, pair: PEMPair)]) throws -> Void,
      isListening: @escaping @Sendable () -> Bool
    ) {
      (self.check, self.serve, self.answerCalls) = (check, serve, answerCalls)
      self.isListening = isListening
    }
  }

  private struct Shown {
    var revision: Int64 = 0
    var proofs: [CertificateProof] = []
    /// Whether the database did not answer the last time.
    var isCutOff = false
  }

  let madang: Madang
  let settings: ServerSettings
  let id: CertificateID
  let listener: Listener
  let copy: CertificateCopy
  private let shown = Mutex(Shown())
  private let wakes = Wakes()
  /// Whether the database took no try the last time.
  let isRefused = Mutex(false)

  var acme: ACMESettings { settings.tls.acme }
  var logger: Logger { madang.logger }

  package init(_ madang: Madang, _ settings: ServerSettings, _ listener: Listener) {
    (self.madang, self.settings, self.listener) = (madang, settings, listener)
    id = settings.tls.acme.id
    copy = CertificateCopy(settings)
  }

  /// The content of the file that an authority looks for (`http-01`); nil if it looks for no such file.
  package func proof(_ token: String) -> String? {
    shown.withLock { shown in
      shown.proofs.first { $0.token == token && $0.kind == Challenge.Kind.http01.rawValue }?.keyAuthorization
    }
  }

  /// Takes the stored certificate, if there is one. Call it before the server listens.
  package func load() async { await look() }

  package func run() async throws {
    await withTaskGroup { group in
      group.addTask { [self] in
        await every(acme.interval, by: madang.clock) { [self] in
          if await look() { wakes.wake() }
        }
      }
      await wakes.run { [self] in
        await cancelWhenGracefulShutdown { [self] in await tryNow() }
      }
    }
  }

  // MARK: Showing

  /// Takes what servers of the database have stored.
  /// - Returns: Whether a certificate should be ordered.
  @discardableResult
  func look() async -> Bool {
    do {
      let (state, proofs) = try await madang.certificateNews(id)
      if let state, state.revision > shown.withLock(\.revision), let stored = try await madang.storedCertificate(id) {
        try await take(stored)
      }
      show(proofs)
      shown.withLock { $0.isCutOff = false }
      return listener.isListening() && state?.isWanted(now: madang.clock.now) ?? true
    } catch is CancellationError {
      return false
    } catch {
      let isFirst = shown.withLock { shown in
        defer { shown.isCutOff = true }
        return !shown.isCutOff
      }
      // Each look would fail until the database is back.
      if isFirst {
        logger.warning("the certificate could not be looked up", metadata: ["error": "\(String(reflecting: error))"])
      }
      return false
    }
  }

  private func take(_ stored: StoredCertificate) async throws {
    // The copy helps if the database's key was sealed with another tokens.key.
    let keys = [stored.key, copy.key].compactMap { $0.flatMap { try? CertificateKey(pem: $0) } }
    do {
      let chain = try CertificateChain(pem: stored.chain)
      guard let key = keys.first(where: { chain.fits($0, acme.names) }) else {
        throw SetupError("its key cannot be read, as after a change of tokens.key")
      }
      try listener.serve((stored.chain, key.pem))
      shown.withLock { $0.revision = stored.revision }
      copy.write(chain: stored.chain, key: key.pem, logger)
      logger.notice(
        "a certificate is served",
        metadata: [
          "names": "\(LogText(chain.names.joined(separator: ",")))", "issuer": "\(LogText(chain.issuer))",
          "validUntil": "\(chain.notAfter.ISO8601Format())",
        ])
    } catch {
      logger.error(
        "the stored certificate cannot be used; another one is ordered",
        metadata: ["names": "\(acme.names.joined(separator: ","))", "reason": "\(LogText("\(error)"))"])
      try await madang.dropCertificate(id, revision: stored.revision)
    }
  }

  private func show(_ proofs: [CertificateProof]) {
    guard proofs != shown.withLock(\.proofs) else { return }
    do {
      try listener.answerCalls(
        proofs.compactMap(Proof.init).filter { $0.kind == .tlsALPN01 }.map { proof -> (name: String, pair: PEMPair) in
          let certificate = try SelfSigned(answering: proof)
          return (proof.name, (certificate.chain, certificate.key))
        })
    } catch { logger.error("proofs cannot be shown", metadata: ["error": "\(error)"]) }
    shown.withLock { $0.proofs = proofs }
  }
}

extension ACMESettings {
  /// What the database has the certificate under.
  package var id: CertificateID { CertificateID(directory: directory, names: names) }

  /// A certificate for the time before the first one is ordered: no client trusts it.
  package func placeholder() throws -> CertificateWork.PEMPair {
    let certificate = try SelfSigned(for: names)
    return (certificate.chain, certificate.key)
  }
}

extension Proof {
  /// Nil for a kind that this version does not know.
  fileprivate init?(_ stored: CertificateProof) {
    guard let kind = Challenge.Kind(rawValue: stored.kind) else { return nil }
    self.init(name: stored.name, kind: kind, token: stored.token, keyAuthorization: stored.keyAuthorization)
  }
}

extension Date {
  init(milliseconds: Int64) { self.init(timeIntervalSince1970: Double(milliseconds) / 1000) }

  /// Since 1970.
  var milliseconds: Int64 { Int64(timeIntervalSince1970 * 1000) }
}
