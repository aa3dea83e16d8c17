import ACME
import Foundation
import MadangAPI
import MadangCore

/// The certificate of a server's own TLS.
public struct CertificateSummary: Encodable, Sendable {
  public enum State: String, Encodable, Sendable {
    /// The server uses no TLS itself.
    case off
    /// There is none yet; the first one is being ordered.
    case none
    case valid
    /// The last try to get one failed, or the file cannot be used. An earlier certificate may still be valid: see ``notAfter``.
    case failing
  }

  public let state: State
  public let names: [String]
  /// Who signed it.
  public let issuer: String?
  public let notBefore: String?
  public let notAfter: String?
  /// The directory of the authority that it is ordered from; nil for a certificate in files.
  public let authority: String?
  /// When it is renewed; nil for a certificate in files.
  public let renewAt: String?
  /// Failed tries since the last certificate.
  public let tries: Int
  public let failingSince: String?
  /// Why the last try failed, and what to do.
  public let error: String?
  public let cure: String?
  /// When the next certificate is ordered at the earliest: the renewal, or the next try after a failure.
  public let nextTry: String?

  /// A server without a certificate, or with one in files.
  fileprivate init(_ state: State, _ chain: CertificateChain? = nil, error: String? = nil, cure: String? = nil) {
    self.state = state
    (names, issuer) = (chain?.names ?? [], chain?.issuer)
    (notBefore, notAfter) = (chain.map { $0.notBefore.wire }, chain.map { $0.notAfter.wire })
    (authority, renewAt, tries, failingSince, nextTry) = (nil, nil, 0, nil, nil)
    (self.error, self.cure) = (error, cure)
  }

  /// Why no client accepts a certificate now; nil if its dates are right.
  fileprivate static func problem(_ chain: CertificateChain, now: Int64) -> String? {
    if chain.notAfter.milliseconds <= now { return "it ended at \(chain.notAfter.wire)" }
    return chain.notBefore.milliseconds > now ? "it begins at \(chain.notBefore.wire)" : nil
  }

  /// A certificate that the server orders itself.
  fileprivate init(_ settings: ACMESettings, _ found: CertificateState?, now: Int64) {
    let chain = found?.chain.flatMap { try? CertificateChain(pem: $0) }
    let end = chain.flatMap { Self.problem($0, now: now) }
    let failure = found.flatMap { CertificateFailure($0, now: now) }
    state = failure != nil || end != nil ? .failing : chain == nil ? .none : .valid
    (names, issuer, authority) = (settings.names, chain?.issuer, settings.directory)
    (notBefore, notAfter) = (chain.map { $0.notBefore.wire }, chain.map { $0.notAfter.wire })
    renewAt = chain == nil ? nil : found.map { WireDate.string($0.renewAt) }
    (tries, failingSince) = (found?.failures ?? 0, found?.failingSince.map { WireDate.string($0) })
    let isEarly = chain.map { $0.notBefore.milliseconds > now } ?? false
    let wait = isEarly ? CertificateFailure.clockCure : "wait for the next try, and see the server's log"
    error = failure?.message ?? end
    cure = failure?.cure ?? end.map { _ in wait }
    nextTry = found.map { WireDate.string(max(now, $0.nextTry(now: now))) }
  }
}

extension Date {
  fileprivate var wire: String { WireDate.string(milliseconds) }
}

extension Administration {
  /// The certificate of the server's own TLS, and what becomes of it.
  public func certificate() async throws -> CertificateSummary {
    let tls = settings.tls
    if tls.acme.isUsed {
      return CertificateSummary(tls.acme, try await madang.certificate(tls.acme.id), now: madang.clock.now)
    }
    guard tls.hasFiles else { return CertificateSummary(.off) }
    guard let text = try? String(contentsOfFile: tls.certificateFile, encoding: .utf8),
      let chain = try? CertificateChain(pem: text)
    else {
      return CertificateSummary(
        .failing, error: "\(tls.certificateFile) cannot be read, or has no certificate in PEM",
        cure: "name a certificate with its chain, in PEM, with tls.cert")
    }
    let problem = CertificateSummary.problem(chain, now: madang.clock.now)
    return CertificateSummary(
      problem == nil ? .valid : .failing, chain, error: problem,
      cure: problem.map { _ in "renew it; the server loads the files by itself" })
  }

  /// Lets a running server order a new certificate now, within the limits of authorities.
  /// - Parameter revokes: Whether the present certificate is declared invalid, because its key may be known to others.
  /// - Throws: ``AdministrationError`` if the server does not order its certificate itself, or has to wait.
  public func renewCertificate(revokes: Bool = false) async throws -> CertificateSummary {
    let acme = settings.tls.acme
    guard acme.isUsed else {
      throw AdministrationError(
        description: settings.tls.hasFiles
          ? "the certificate is in files (tls.cert): renew these, and the server loads them by itself"
          : "the server uses no TLS itself: set tls.acme, or renew the certificate of the proxy")
    }
    switch try await madang.askForCertificate(acme.id, revokes ? .revocation : .renewal, by: administrator) {
    case .planned: return try await certificate()
    case .held(let time):
      throw AdministrationError(
        .held,
        description:
          "the authority wants no further tries until \(WireDate.string(time)); the server tries then by itself")
    case .asked(let time):
      throw AdministrationError(
        .held,
        description:
          "\(CertificatePlan.askedLimit) renewals were asked for within a day, and authorities limit tries: ask again from "
          + "\(WireDate.string(time)); the server renews by itself before that, and --revoke is not limited")
    case .limited(let time):
      throw AdministrationError(
        .held, description: "\(Madang.limitWords); wait until \(WireDate.string(time)), or revoke one with --revoke")
    }
  }
}
