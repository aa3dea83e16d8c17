import ACME
import MadangCore
import MadangProviders

/// Why a try to get a certificate failed, in words for operators.
struct CertificateFailure {
  let message: String
  let cure: String
  /// How long the authority asks to wait, in milliseconds; nil if it does not say.
  var pause: Int64?

  init(_ error: any Error) {
    switch error {
    case let error as ACMEError:
      pause = error.pause.map { $0.components.seconds * 1000 }
      guard case .unreachable(let place, let cause) = error.reason else {
        (message, cure) = (error.message, error.cure)
        break
      }
      let isUntrusted = "\(cause)".contains("CERTIFICATE_VERIFY_FAILED")
      message =
        "the authority cannot be reached at \(place): "
        + (isUntrusted ? "its certificate is not trusted" : networkWords(cause))
      cure = isUntrusted ? "for a private authority, name its root certificate with tls.acme.ca.file" : error.cure
    case let error as SetupError:
      let parts = error.description.split(separator: "; ", maxSplits: 1).map(String.init)
      (message, cure) = (parts[0], parts.count < 2 ? "see what it says" : parts[1])
    default:
      (message, cure) = ("\(error)", "see the server's log")
    }
  }
}
