import ACME
import MadangAPI
import MadangCore
import MadangProviders
import SocketIOProtocol

/// A new certificate that ends before the present one.
struct WorseCertificate: Error {
  let why: String

  static let cure = "keep the present one, or replace it with madang admin certificate renew --revoke"
}

/// Why a try to get a certificate failed, in words for operators.
struct CertificateFailure {
  static let clockCure = "check the clock of this machine"

  let message: String
  let cure: String
  /// How long the authority asks to wait, in milliseconds; nil if it does not say.
  var pause: Int64?
  /// Whether the present certificate is better than the new one: a renewal is then due when it was before.
  var keepsPresent = false

  init(_ error: any Error) {
    switch error {
    case let error as ACMEError:
      pause = error.pause.map { $0.components.seconds * 1000 }
      guard case .unreachable(let place, let cause) = error.reason else {
        (message, cure) = (Self.cleaned(error.message), Self.cleaned(error.cure))
        break
      }
      let isUntrusted = "\(cause)".contains("CERTIFICATE_VERIFY_FAILED")
      let words = isUntrusted ? "its certificate is not trusted" : networkWords(cause)
      message = Self.cleaned("the authority cannot be reached at \(LogText(place)): \(words)")
      cure = isUntrusted ? "for a private authority, name its root certificate with tls.acme.ca.file" : error.cure
    case let error as WorseCertificate:
      (message, cure) = ("the authority's certificate is not taken: \(error.why)", WorseCertificate.cure)
      keepsPresent = true
    case let error as SetupError:
      let parts = error.description.split(separator: "; ", maxSplits: 1).map(String.init)
      (message, cure) = (Self.cleaned(parts[0]), parts.count < 2 ? "see what it says" : parts[1])
    default:
      (message, cure) = (Self.cleaned("\(error)"), "see the server's log")
    }
  }

  /// Why the last try failed; nil if it did not. If the database could not take the reason, the kept order shows that there is one.
  init?(_ state: CertificateState, now: Int64) {
    guard state.error.isEmpty else {
      (message, cure) = (state.error, state.cure)
      return
    }
    guard let time = state.orderedAt, state.failures > 0, abs(now - time) >= 2 * CertificatePlan.firstPause else {
      return nil
    }
    message = "the certificate that was ordered at \(WireDate.string(time)) is not stored"
    cure = "make room on the disk of the database if it is full, and see the server's log"
  }

  /// Without control characters, which a database may not take, and not too long for a mail.
  private static func cleaned(_ text: String) -> String {
    var cleaned = String.UnicodeScalarView()
    cleaned.append(
      contentsOf: text.unicodeScalars.lazy.filter { $0.properties.generalCategory != .control }.prefix(1000))
    return String(cleaned)
  }
}
