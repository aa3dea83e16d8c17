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
    /// New connections get this certificate.
    let serve: @Sendable (PEMPair) throws -> Void
    /// Calls of authorities (`acme-tls/1`) get the certificate of the name that they ask for; an empty list ends that.
    let answerCalls: @Sendable ([(name: String, pair: PEMPair)]) throws -> Void

    package init(
      serve: @escaping @Sendable (PEMPair) throws -> Void,
      answerCalls: @escaping @Sendable ([(name: String, pair: PEMPair)]) throws -> Void
    ) {
      (self.serve, self.answerCalls) = (serve, answerCalls)
    }
  }

  private struct Shown {
    var revision: Int64 = 0
    var proofs: [CertificateProof] = []
    /// When the served certificate ends; nil before the first one.
    var end: Date?
  }

  private let madang: Madang
  private let settings: ServerSettings
  private let id: CertificateID
  private let listener: Listener
  private let copy: CertificateCopy
  private let shown = Mutex(Shown())
  private let wakes = Wakes()

  private var acme: ACMESettings { settings.tls.acme }
  private var logger: Logger { madang.logger }

  package init(_ madang: Madang, _ settings: ServerSettings, _ listener: Listener) {
    (self.madang, self.settings, self.listener) = (madang, settings, listener)
    id = settings.tls.acme.id
    copy = CertificateCopy(settings)
  }

  /// When the served certificate ends; nil before the first one.
  package var end: Date? { shown.withLock(\.end) }

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
  private func look() async -> Bool {
    do {
      let (state, proofs) = try await madang.certificateNews(id)
      if let state, state.revision > shown.withLock(\.revision), let chain = state.chain {
        try await take(chain, state.revision)
      }
      show(proofs)
      return state?.isWanted(now: madang.clock.now) ?? true
    } catch is CancellationError {
      return false
    } catch {
      logger.warning("the certificate could not be looked up", metadata: ["error": "\(String(reflecting: error))"])
      return false
    }
  }

  private func take(_ text: String, _ revision: Int64) async throws {
    let chain = try CertificateChain(pem: text)
    // The copy helps if the database's key was sealed with another tokens.key.
    let keys = [try await madang.certificateKey(id), copy.key].compactMap {
      $0.flatMap { try? CertificateKey(pem: $0) }
    }
    guard let key = keys.first(where: { chain.fits($0, acme.names) }) else {
      logger.warning(
        "the stored certificate is not used: its key cannot be read, as after a change of tokens.key. Another one is ordered",
        metadata: ["names": "\(acme.names.joined(separator: ","))"])
      return try await madang.dropCertificate(id)
    }
    try listener.serve((text, key.pem))
    shown.withLock { ($0.revision, $0.end) = (revision, chain.notAfter) }
    copy.write(chain: text, key: key.pem, logger)
    logger.notice(
      "a certificate is served",
      metadata: [
        "names": "\(chain.names.joined(separator: ","))", "issuer": "\(chain.issuer)",
        "validUntil": "\(chain.notAfter.ISO8601Format())",
      ])
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

  // MARK: Ordering

  /// The longest time of a try. The next one of any server begins later.
  private static let limit: Duration = .seconds(240)

  private func tryNow() async {
    do {
      guard let claimed = try await madang.claimCertificate(id) else { return }
      await order(claimed)
    } catch is CancellationError {} catch {
      logger.warning("a certificate cannot be ordered now", metadata: ["error": "\(String(reflecting: error))"])
    }
  }

  private func order(_ claimed: CertificateTry) async {
    let kinds = acme.challenges(port: settings.port, redirectPort: settings.tls.redirectPort)
    guard !kinds.isEmpty else { return }
    let kind = kinds[claimed.failures % kinds.count]
    logger.notice(
      "a certificate is ordered",
      metadata: [
        "names": "\(acme.names.joined(separator: ","))", "authority": "\(acme.directory)",
        "challenge": "\(kind.rawValue)",
      ])
    do {
      try await within(Self.limit) { [self] in try await order(claimed, by: kind) }
      await look()
    } catch is CancellationError {
      // The server stops. The claim stays, so that the next start waits.
    } catch {
      await failed(claimed, error)
    }
  }

  private func order(_ claimed: CertificateTry, by kind: Challenge.Kind) async throws {
    let account = try await madang.certificateAccount(acme.directory) { AccountKey().pem }
    var configuration = Authority.Configuration(directory: acme.directory, key: try AccountKey(pem: account.key))
    (configuration.account, configuration.contact) = (account.url, acme.email)
    (configuration.externalAccount, configuration.roots) = (acme.externalAccount, try acme.roots())
    let authority = Authority(configuration)
    if account.url == nil, let terms = try await authority.terms() {
      logger.notice("tls.acme accepts the authority's terms of service", metadata: ["terms": "\(LogText(terms))"])
    }
    try await keep(account, try await authority.registered())
    if claimed.wish == .revocation, let text = claimed.chain, let chain = try? CertificateChain(pem: text) {
      try await authority.revoke(chain, because: .superseded)
      logger.notice("the former certificate is revoked", metadata: ["names": "\(chain.names.joined(separator: ","))"])
    }
    let issued = try await showing { [self] show in
      try await authority.order(acme.names, provingBy: kind) { try await show($0.map(CertificateProof.init)) }
    }
    if let url = await authority.account { try await keep(account, url) }
    let (start, end) = (issued.chain.notBefore.milliseconds, issued.chain.notAfter.milliseconds)
    let planned = CertificatePlan.renewal(from: start, until: end, random: madang.ids.bytes(1)[0])
    // Later than now, even if the clock is ahead of the authority's.
    let renewAt = max(planned, madang.clock.now + max(0, end - start) / 10)
    try await madang.store(
      id, chain: issued.chain.pem, key: issued.key.pem, renewAt: renewAt, issuer: issued.chain.issuer)
  }

  private func keep(_ account: (key: String, url: String?), _ url: String) async throws {
    copy.write(account: account.key, logger)
    if url != account.url { try await madang.setCertificateAccount(acme.directory, key: account.key, url: url) }
  }

  /// Runs `body`, and afterwards withdraws the proofs that it has shown.
  private func showing<Result: Sendable>(
    _ body: (_ show: @escaping @Sendable ([CertificateProof]) async throws -> Void) async throws -> Result
  ) async throws -> Result {
    let all = Mutex<[CertificateProof]>([])
    let result: Swift.Result<Result, any Error>
    do {
      result = .success(
        try await body { [self] proofs in
          all.withLock { $0 += proofs }
          try await madang.show(proofs)
          await look()
          // The authority may call any server of the database; each looks once in this time.
          if settings.database.url != nil { try await Task.sleep(for: acme.interval * 3) }
        })
    } catch { result = .failure(error) }
    // Left ones are no longer shown after an hour.
    try? await madang.withdraw(all.withLock(\.self))
    await look()
    return try result.get()
  }

  private func failed(_ claimed: CertificateTry, _ error: any Error) async {
    let failure = CertificateFailure(error)
    do {
      let next = try await madang.certificateFailed(
        id, failures: claimed.failures + 1, error: failure.message, cure: failure.cure, pause: failure.pause)
      logger.error(
        "no certificate: \(failure.message)",
        metadata: [
          "cure": "\(failure.cure)", "names": "\(acme.names.joined(separator: ","))",
          "tries": "\(claimed.failures + 1)",
          "nextTry": "\(Date(milliseconds: next).ISO8601Format())",
        ])
    } catch {
      logger.error(
        "no certificate: \(failure.message)",
        metadata: ["cure": "\(failure.cure)", "notRecorded": "\(String(reflecting: error))"])
    }
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

extension CertificateProof {
  fileprivate init(_ proof: Proof) {
    self.init(
      token: proof.token, name: proof.name, kind: proof.kind.rawValue, keyAuthorization: proof.keyAuthorization)
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
