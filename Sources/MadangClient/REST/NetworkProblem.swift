import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Short descriptions of network errors.
package enum NetworkProblem {
  /// Why a call failed, in few words, such as `Connection refused`.
  package static func words(of error: any Error) -> String {
    switch error {
    case let error as NIOConnectionError:
      error.connectionErrors.first.map { words(of: $0.error) } ?? error.dnsAError.map(words) ?? "no such host"
    case let error as SocketAddressError.UnknownHost: "\(error.host): \(error.errorDescription)"
    case let error as HTTPClientError: error.shortDescription
    case let error as NIOSSLError:
      if case .handshakeFailed(let cause) = error { handshake("\(cause)") } else { handshake("\(error)") }
    // Its own description contains source paths of the build machine.
    case let error as BoringSSLError: handshake("\(error)")
    case let error as NIOSSLExtraError where error == .failedToValidateHostname:
      "its certificate is for another name"
    case let error as IOError: String(cString: strerror(error.errnoCode))
    default: "\(error)"
    }
  }

  private static func handshake(_ cause: String) -> String {
    cause.contains("CERTIFICATE_VERIFY_FAILED")
      ? "its certificate is not trusted; name its authority with --ca-file, or renew it"
      : "TLS failed; check that this port uses TLS"
  }
}
