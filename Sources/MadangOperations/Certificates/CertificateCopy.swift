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
        try replace(file, with: text)
      }
      try flush(directory)
    } catch { logger.warning("the copy of the certificate cannot be written", metadata: ["reason": "\(error)"]) }
  }

  /// Replaces a file as a whole, also while another server writes it; it is never open to other users.
  private func replace(_ file: URL, with text: String) throws {
    let temporary = directory.appending(path: ".\(file.lastPathComponent).\(UUID().uuidString)")
    let descriptor = open(temporary.path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    func failure() -> SetupError { SetupError("\(file.path) cannot be written (\(String(cString: strerror(errno))))") }
    guard descriptor >= 0 else { throw failure() }
    do {
      let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
      try handle.write(contentsOf: Data(text.utf8))
      try handle.synchronize()
      guard rename(temporary.path, file.path) == 0 else { throw failure() }
    } catch {
      unlink(temporary.path)
      throw error
    }
  }
}
