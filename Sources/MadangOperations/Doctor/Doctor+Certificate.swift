import ACME
import Foundation
import MadangAPI
import MadangCore

extension Doctor {
  /// How long renewals may fail before it is a finding, in milliseconds: authorities have short pauses.
  private static let patience: Int64 = 86_400_000
  /// A certificate with less than this is near its end, in milliseconds; one with a short life, with a sixth of it.
  private static let nearEnd: Int64 = 14 * 86_400_000

  /// Problems of a certificate that the server orders itself.
  func orderedCertificateFindings(_ madang: Madang, _ settings: ServerSettings) async throws -> [DoctorFinding] {
    let acme = settings.tls.acme
    guard acme.isUsed, let state = try await madang.certificate(acme.id) else { return [] }
    let (now, names) = (madang.clock.now, acme.names.joined(separator: ", "))
    let next = "the next try is at \(WireDate.string(max(now, state.nextTry(now: now))))"
    let failure = CertificateFailure(state, now: now)
    let failed = failure.map { ": \($0.message)" } ?? ""
    let cure = failure?.cure ?? "see the server's log"
    guard let chain = state.chain.flatMap({ try? CertificateChain(pem: $0) }) else {
      guard failure != nil else { return [] }
      return [
        DoctorFinding(
          .certificate, .error, "there is no certificate for \(names)\(failed)",
          cure: "\(cure); \(next), 'madang admin certificate renew' tries now")
      ]
    }
    let (begin, end) = (chain.notBefore.milliseconds, chain.notAfter.milliseconds)
    if begin > now {
      return [
        DoctorFinding(
          .certificate, .warning, "the certificate for \(names) begins at \(chain.notBefore.ISO8601Format())",
          cure: CertificateFailure.clockCure)
      ]
    }
    let hasEnded = end <= now
    let isNear = end - now < min(Self.nearEnd, (end - begin) / 6)
    let isUnstored = state.error.isEmpty && failure != nil
    let hasFailedLong = isUnstored || state.failingSince.map { now - $0 >= Self.patience } ?? false
    guard hasEnded || isNear || hasFailedLong else { return [] }
    let date = chain.notAfter.ISO8601Format()
    return [
      DoctorFinding(
        .certificate, hasEnded ? .error : .warning,
        "the certificate for \(names) \(hasEnded ? "has ended" : "ends") at \(date), and it could not be renewed\(failed)",
        cure: "\(cure); \(next), 'madang admin certificate renew' tries now")
    ]
  }
}
