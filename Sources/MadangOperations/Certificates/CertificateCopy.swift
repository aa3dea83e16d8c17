import Foundation
import Logging
import MadangCore

/// Copies of certificate, key and account in `secrets/acme/`, for other programs of the machine. The database has the originals.
struct CertificateCopy: Sendable {
  private let directory: URL
  /// The first name of the certificate, which its files are named by.
  private let name: String

  init(_ settings: ServerSettings) {
    directory = settings.secretsDirectory.appending(path: "acme", directoryHint: .isDirectory)
    name = settings.tls.acme.names.first ?? ""
  }

  private var keyFile: URL { directory.appending(path: "\(name).key") }

  /// The private key in PEM; nil if there is no copy.
  var key: String? { try? String(contentsOf: keyFile, encoding: .utf8) }

  func write(chain: String, key: String, _ logger: Logger) {
    write([(keyFile, key), (directory.appending(path: "\(name).pem"), chain)], logger)
  }

  func write(account key: String, _ logger: Logger) { write([(directory.appending(path: "account.key"), key)], logger) }

  /// A failure is logged: the server does not need the copies.
  private func write(_ files: [(URL, String)], _ logger: Logger) {
    do {
      try FileManager.default.createDirectory(
        at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      for (file, text) in files where (try? String(contentsOf: file, encoding: .utf8)) != text {
        try PrivateFile(file.path).replace(with: Data(text.utf8))
      }
    } catch { logger.warning("the copy of the certificate cannot be written", metadata: ["reason": "\(error)"]) }
  }
}
