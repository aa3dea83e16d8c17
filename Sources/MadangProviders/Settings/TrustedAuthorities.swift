import Foundation
import MadangCore
import NIOSSL

/// PEM files of certificate authorities that are trusted in addition to the system's.
package enum TrustedAuthorities {
  /// - Parameter setting: The setting or flag that names the file.
  /// - Throws: ``SetupError`` with cause and cure if the file cannot be read, or has no certificates.
  package static func read(_ file: String, named setting: String) throws(SetupError) -> [NIOSSLCertificate] {
    guard access(file, R_OK) == 0 else {
      throw SetupError(
        "\(setting): \(file) cannot be read: \(String(cString: strerror(errno))); name a file with the authority's certificate that "
          + "the server's user can read, or leave \(setting) out")
    }
    guard let authorities = try? NIOSSLCertificate.fromPEMFile(file), !authorities.isEmpty else {
      throw SetupError("\(setting): \(file) has no certificates in PEM; name a file of -----BEGIN CERTIFICATE-----")
    }
    return authorities
  }
}
