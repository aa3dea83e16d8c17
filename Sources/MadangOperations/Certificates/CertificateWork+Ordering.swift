import ACME
import Foundation
import Logging
import MadangCore
import SocketIOProtocol
import Storage
import Synchronization

extension CertificateWork {
  /// The longest time of a try. The next one of any server begins later.
  private static let limit: Duration = .seconds(240)

  /// By how much the clock of an authority may be ahead, in milliseconds.
  private static let clockDifference: Int64 = 300_000

  /// Orders a certificate, if this server claims the try.
  func tryNow() async {
    do {
      let claimed = try await madang.claimCertificate(id)
      isRefused.withLock { $0 = false }
      if let claimed { await order(claimed) }
    } catch is CancellationError {} catch {
      // Each look would fail until the database takes writes again.
      let isFirst = isRefused.withLock { isRefused in
        defer { isRefused = true }
        return !isRefused
      }
      guard isFirst else { return }
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
      try await within(Self.limit, to: "finish") { [self] in try await order(claimed, by: kind) }
      await look()
    } catch is CancellationError {
      // The server stops: the claim stays, so that the next start waits. Or another server has claimed a try.
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
      try await revoke(chain, at: authority, tries: claimed.failures)
    }
    let begun = claimed.order.flatMap { order in
      (try? CertificateKey(pem: order.key)).map { BegunOrder(url: order.url, key: $0) }
    }
    let issued = try await showing { [self] show in
      try await authority.order(
        acme.names, provingBy: kind, goingOnWith: begun,
        keep: { [madang, id] in try await madang.keepCertificateOrder(id, $0.map { ($0.url, $0.key.pem) }, of: claimed)
        },
        { try await show($0.map(CertificateProof.init)) })
    }
    if let url = await authority.account { try await keep(account, url) }
    do { try check(issued, insteadOf: claimed) } catch {
      try await madang.certificateRefused(
        id, keepsOrder: issued.chain.notBefore.milliseconds > madang.clock.now, of: claimed)
      throw error
    }
    let (start, end) = (issued.chain.notBefore.milliseconds, issued.chain.notAfter.milliseconds)
    let planned = CertificatePlan.renewal(from: start, until: end, random: madang.ids.bytes(1)[0])
    // Later than now, even if the clock is ahead of the authority's.
    let renewAt = max(planned, madang.clock.now + max(0, end - start) / 10)
    do {
      try await madang.store(
        id, chain: issued.chain.pem, key: issued.key.pem, renewAt: renewAt, issuer: issued.chain.issuer)
    } catch let error where !(error is CancellationError) {
      // The kept order leads to the same certificate at the next try.
      try listener.serve((issued.chain.pem, issued.key.pem))
      logger.error(
        "the new certificate is served but not stored; the next try stores it",
        metadata: [
          "names": "\(acme.names.joined(separator: ","))",
          "error": "\((error as? StorageError)?.words ?? String(reflecting: error))",
        ])
    }
  }

  /// How many tries to revoke a certificate may fail, before another one is ordered all the same: those of about a day.
  private static let revocationTries = 8

  private func revoke(_ chain: CertificateChain, at authority: Authority, tries: Int) async throws {
    let names: Logger.Metadata = ["names": "\(chain.names.joined(separator: ","))"]
    do {
      try await authority.revoke(chain, because: .superseded)
      logger.notice("the former certificate is revoked", metadata: names)
    } catch let error as ACMEError where tries >= Self.revocationTries {
      logger.error(
        "the authority does not revoke the former certificate: ask it by mail to do so; a new certificate is ordered",
        metadata: names.merging(["error": "\(error)"]) { $1 })
    }
    try await madang.certificateRevoked(id)
  }

  /// Refuses a certificate that no client would accept, or that is worse than the present one, which stays.
  private func check(_ issued: IssuedCertificate, insteadOf claimed: CertificateTry) throws {
    let (now, chain) = (madang.clock.now, issued.chain)
    let life = "it is valid from \(chain.notBefore.ISO8601Format()) to \(chain.notAfter.ISO8601Format())"
    let present = claimed.isReplaced ? nil : claimed.chain.flatMap { try? CertificateChain(pem: $0) }
    let end = present.map { $0.notBefore.milliseconds <= now ? $0.notAfter.milliseconds : 0 } ?? 0
    // Without a present one it is served at once: more often this clock is slow than that of an authority is fast.
    let isEarly = chain.notBefore.milliseconds > now + Self.clockDifference
    guard chain.notAfter.milliseconds > now, !isEarly || end <= now else {
      throw ACMEError.notTaken(life, cure: "\(CertificateFailure.clockCure), and wait for the next try")
    }
    guard chain.notAfter.milliseconds >= end else {
      throw WorseCertificate(why: "\(life), so it ends before the present one")
    }
    do { try listener.check((chain.pem, issued.key.pem)) } catch {
      throw ACMEError.notTaken(
        "it cannot be served: \(LogText("\(error)"))", cure: "wait for the next try: the fault is the authority's")
    }
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
        id, failures: claimed.failures + 1, error: failure.message, cure: failure.cure, pause: failure.pause,
        keepsPresent: failure.keepsPresent)
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

extension CertificateProof {
  fileprivate init(_ proof: Proof) {
    self.init(
      token: proof.token, name: proof.name, kind: proof.kind.rawValue, keyAuthorization: proof.keyAuthorization)
  }
}
