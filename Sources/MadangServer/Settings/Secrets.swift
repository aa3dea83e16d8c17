import Crypto
import Foundation
import MadangAPI
import MadangCore

/// Secrets kept in files only their owner can read (mode 0600): the API keys made on first start, and the key of access tokens
/// of versions that kept it here.
struct Secrets {
  private let directory: URL
  private let ids: IDSource

  init(directory: URL, ids: IDSource) throws {
    self.directory = directory
    self.ids = ids
    try refuseUnreachable(directory)
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try requirePrivacy(of: directory)
  }

  /// Throws if what is to be made where it is missing may be there: a symbolic link leads nowhere, such as to what is mounted late, or
  /// nobody can tell.
  private func refuseUnreachable(_ file: URL) throws {
    var status = stat()
    guard stat(file.path, &status) != 0 else { return }
    let reason = errno
    let reasonWords = String(cString: strerror(reason))
    guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: file.path) else {
      guard reason == ENOENT else {
        throw SetupError(
          "\(file.path) cannot be looked at (\(reasonWords)); let the user this server runs as enter its directory")
      }
      return
    }
    let words = reason == ENOENT ? "is not there" : "cannot be reached (\(reasonWords))"
    throw SetupError("\(file.path) leads to \(target), which \(words): mount or make it, or remove the link")
  }

  /// Throws if everybody on this machine can read the file or directory.
  private func requirePrivacy(of file: URL) throws {
    guard let mode = FileMode(file) else {
      throw SetupError("\(file.path) cannot be looked at; let the user this server runs as enter its directory")
    }
    guard mode.bits & 0o007 == 0 else {
      throw SetupError(
        "\(file.path) is open to every user of this machine (mode \(String(mode.bits & 0o777, radix: 8))). "
          + "Close it with: chmod \(file == directory ? "-R " : "")o= '\(file.path)'. If others could read it, also run 'madang admin sessions "
          + "replace-key' (access tokens and cookies of sockets end, refresh tokens go on), make other API keys with 'madang "
          + "admin keys create' and end these with 'madang admin keys revoke': removing their files does not")
    }
  }

  /// The key that signs access tokens, if a version made it that kept it here.
  func formerTokenKey() throws -> String? { try existing(tokenKeyFile, minimum: Self.tokenKeyMinimum) }
  /// The same, where a key is made if there is none: it would stand in the place of one that is mounted late.
  func formerTokenKeyToKeep() throws -> String? {
    try refuseUnreachable(tokenKeyFile)
    return try formerTokenKey()
  }

  var tokenKeyFile: URL { directory.appending(path: "access-token.key") }

  /// Characters of a key that signs access tokens: SHA-256 wants as many bytes as it makes.
  static let tokenKeyMinimum = 32

  /// A key of its own for each use, derived from one secret.
  static func key(for use: String, from secret: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(use.utf8), using: SymmetricKey(data: secret)))
  }

  /// The API key that this directory has for an edition.
  func apiKey(_ edition: EditionName) throws -> String? { try existing(file(of: edition), minimum: 16) }

  /// Makes an API key for an edition, unless another server that starts on this directory has just done so.
  func makeAPIKey(_ edition: EditionName) throws -> String {
    let file = file(of: edition)
    try refuseUnreachable(file)
    let text = ids.bytes(32).hex
    // Written beside and linked into place, so that two starts at once agree on one secret.
    let temporary = directory.appending(path: ".\(file.lastPathComponent).\(ids.name(8))")
    guard
      FileManager.default.createFile(
        atPath: temporary.path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600])
    else { throw SetupError("\(directory.path) cannot be written") }
    defer { try? FileManager.default.removeItem(at: temporary) }
    do {
      // On disk before anybody is given it.
      try flush(temporary)
      try FileManager.default.linkItem(at: temporary, to: file)
      try flush(directory)
      return text
    } catch {
      guard let text = try apiKey(edition) else { throw error }
      return text
    }
  }

  func removeAPIKey(_ edition: EditionName) throws { try FileManager.default.removeItem(at: file(of: edition)) }

  private func file(of edition: EditionName) -> URL { directory.appending(path: Self.label(edition)) }

  /// The name of an edition's first API key, in this directory and in the database.
  static func label(_ edition: EditionName) -> String { "api-key-\(edition.rawValue)" }

  /// - Parameter minimum: Characters.
  private func existing(_ file: URL, minimum: Int) throws -> String? {
    guard FileManager.default.fileExists(atPath: file.path) else { return nil }
    try requirePrivacy(of: file)
    let text = try String(contentsOf: file, encoding: .utf8).trimmingWhitespace()
    guard text.utf8.count >= minimum else {
      throw SetupError(
        "\(file.path) holds no secret of \(minimum) characters or more; remove the file to make a new one")
    }
    return text
  }
}

private func flush(_ url: URL) throws {
  let descriptor = open(url.path, O_RDONLY)
  guard descriptor >= 0 else { throw SetupError("\(url.path) cannot be read") }
  defer { close(descriptor) }
  guard fsync(descriptor) == 0 else { throw SetupError("\(url.path) cannot be written to disk") }
}

/// Why a server could not start, in words for its operator.
public struct SetupError: Error, CustomStringConvertible {
  public let description: String
  /// The port at which somebody else listens, if it is for that.
  package let takenPort: Int?

  public init(_ description: String) { self.init(description, takenPort: nil) }

  init(_ description: String, takenPort: Int?) { (self.description, self.takenPort) = (description, takenPort) }
}
