import Crypto
import Foundation
import MadangAPI
import MadangCore

/// Secrets in files that only their owner can read (mode 0600): the API keys made at the first start, and the key of access
/// tokens of older versions.
package struct Secrets {
  private let directory: URL
  private let ids: IDSource
  private let calls: PrivateFile.Calls

  /// - Parameter calls: Replaced in tests, because file systems without hard links are rare.
  package init(directory: URL, ids: IDSource, calls: PrivateFile.Calls = PrivateFile.Calls()) throws {
    self.directory = directory
    self.ids = ids
    self.calls = calls
    try refuseUnreachable(directory)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try requirePrivacy(of: directory)
  }

  /// Throws if a missing file may exist elsewhere: it is a symbolic link whose target is missing, for example because it is
  /// mounted late, or cannot be checked.
  private func refuseUnreachable(_ file: URL) throws {
    guard access(file.path, F_OK) != 0 else { return }
    let reason = errno
    let reasonWords = String(cString: strerror(reason))
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) else {
      guard reason == ENOENT else {
        throw SetupError(
          "\(file.path) cannot be accessed (\(reasonWords)); give the server's user access to its directory")
      }
      return
    }
    let words = reason == ENOENT ? "does not exist" : "cannot be reached (\(reasonWords))"
    throw SetupError("\(file.path) is a link to \(target), which \(words): mount or create it, or remove the link")
  }

  /// Throws if every user of this machine can read the file or directory.
  private func requirePrivacy(of file: URL) throws {
    guard let mode = FileMode(file) else {
      throw SetupError("\(file.path) cannot be accessed; give the server's user access to its directory")
    }
    guard mode.bits & 0o007 == 0 else {
      throw SetupError(
        "\(file.path) is open to every user of this machine (mode \(String(mode.bits & 0o777, radix: 8))). "
          + "Close it with: chmod \(file == directory ? "-R " : "")o= '\(file.path)'. If others could read it, also run 'madang admin sessions "
          + "replace-key' (access tokens and socket cookies become invalid, refresh tokens stay valid), create new API keys with 'madang "
          + "admin keys create' and revoke these with 'madang admin keys revoke': removing their files does not revoke them"
      )
    }
  }

  /// The key that signs access tokens, if an older version stored it here.
  func formerTokenKey() throws -> String? { try existing(tokenKeyFile, minimum: ServerSettings.tokenKeyMinimum) }
  /// The same key, before a new one is made: throws if the old one may be mounted late.
  func formerTokenKeyToKeep() throws -> String? {
    try refuseUnreachable(tokenKeyFile)
    return try formerTokenKey()
  }

  var tokenKeyFile: URL { directory.appending(path: "access-token.key") }

  /// A separate key for each use, derived from one secret.
  package static func key(for use: String, from secret: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(use.utf8), using: SymmetricKey(data: secret)))
  }

  /// The API key of an edition in this directory.
  func apiKey(_ edition: EditionName) throws -> String? { try existing(file(of: edition), minimum: 16) }

  /// Creates an API key for an edition, unless another server that starts on this directory has just done so.
  func makeAPIKey(_ edition: EditionName) throws -> String {
    let file = file(of: edition)
    try refuseUnreachable(file)
    let text = ids.bytes(32).hex
    // Two servers that start at once agree on one secret. It is durable before any client gets it.
    // A suffix that `ids` did not make would change all later ids of worlds with a number.
    let isNew: Bool
    do {
      isNew = try PrivateFile(file.path, calls: calls).create(Data((text + "\n").utf8), suffix: ids.name(8))
    } catch { throw SetupError(error.description) }
    guard isNew else {
      guard let other = try apiKey(edition) else {
        throw SetupError("\(file.path) was removed meanwhile; start the server again")
      }
      return other
    }
    return text
  }

  func removeAPIKey(_ edition: EditionName) throws { try FileManager.default.removeItem(at: file(of: edition)) }

  /// The files with API keys in a directory of secrets, with the hashes of the keys, without unreadable files.
  static func keyFiles(in directory: URL) -> [(file: URL, hash: String)] {
    EditionName.allCases.compactMap { edition in
      let file = directory.appending(path: label(edition))
      guard let text = try? String(contentsOf: file, encoding: .utf8) else { return nil }
      return (file, Madang.keyHash(text.trimmingWhitespace()))
    }
  }

  private func file(of edition: EditionName) -> URL { Self.apiKeyFile(of: edition, in: directory) }

  /// The file with an edition's first API key, in a directory of secrets.
  package static func apiKeyFile(of edition: EditionName, in directory: URL) -> URL {
    directory.appending(path: label(edition))
  }

  /// The name of an edition's first API key, in this directory and in the database.
  static func label(_ edition: EditionName) -> String { "api-key-\(edition.rawValue)" }

  /// - Parameter minimum: The minimum length in characters.
  private func existing(_ file: URL, minimum: Int) throws -> String? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    try requirePrivacy(of: file)
    let text = try String(contentsOf: file, encoding: .utf8).trimmingWhitespace()
    guard text.utf8.count >= minimum else {
      throw SetupError(
        "\(file.path) has no secret of \(minimum) characters or more; remove the file, and the server creates a new one"
      )
    }
    return text
  }
}

extension Madang {
  /// The files with revoked API keys in a directory of secrets.
  func filesOfRevokedKeys(in directory: URL) async throws -> [URL] {
    let files = Secrets.keyFiles(in: directory)
    let revoked = try await revokedKeys(among: files.map(\.hash))
    return files.filter { revoked.contains($0.hash) }.map(\.file)
  }
}
