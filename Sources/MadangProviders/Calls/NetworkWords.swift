import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL

/// Why a call over the network failed, in words for the log and the doctor, with the cure for TLS problems. Errors of the
/// TLS library have places in its source code on the build machine, which are removed.
package func networkWords(_ error: any Error) -> String {
  switch error {
  case let error as NIOConnectionError:
    error.connectionErrors.first.map { networkWords($0.error) } ?? error.dnsAError.map(networkWords) ?? "no such host"
  case let error as SocketAddressError.UnknownHost: "there is no host \(error.host)"
  case let error as HTTPClientError: error.shortDescription
  case let error as ProviderCalls.NoTLS: error.description
  case let error as IOError: String(cString: strerror(error.errnoCode))
  case let error as NIOSSLExtraError where error == .failedToValidateHostname:
    "its certificate is for another name; call it by the name in the certificate"
  case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: tlsWords("\(error)")
  default: withoutSourcePlaces("\(error)")
  }
}

private func tlsWords(_ text: String) -> String {
  // The library's name for an alert, and its meaning: RFC 8446, section 6.2.
  let causes = [
    (
      "CERTIFICATE_VERIFY_FAILED",
      "its certificate is not trusted; name its authority (mail.tls.authorities, providers.ca), or renew it"
    ),
    ("HOSTNAME_MISMATCH", "its certificate is for another name; call it by the name in the certificate"),
    (
      "WRONG_VERSION_NUMBER",
      "this port does not use TLS; check the port, and write smtp:// for STARTTLS or smtps:// for TLS from the start"
    ),
    ("UNSUPPORTED_PROTOCOL", "it does not support TLS 1.2 or newer; update it"),
    ("PROTOCOL_VERSION", "it does not support TLS 1.2 or newer; update it"),
    ("HANDSHAKE_FAILURE", "it has no cipher in common with this program; update it"),
  ]
  if let (_, words) = causes.first(where: { text.contains($0.0) }) { return words }
  return "TLS failed: \(withoutSourcePlaces(text)); check that this port uses TLS"
}

/// Without ` at FILE:LINE`, as the TLS library writes its errors.
private func withoutSourcePlaces(_ text: String) -> String {
  text.replacing(/\ at \/[^\s\]]*:[0-9]+/, with: "")
}
