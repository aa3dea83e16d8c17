import Crypto
import Foundation
import MadangAPI
import MadangCore

/// Secrets made on first start and kept in files only their owner can read (mode 0600).
struct Secrets {
  private let directory: URL
  private let ids: IDSource

  init(directory: URL, ids: IDSource) throws {
    self.directory = directory
    self.ids = ids
    try FileManager.default.createDirectory(
      at: directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try requirePrivacy(of: directory)
  }

  /// Throws if everybody on this machine can read the file or directory.
  private func requirePrivacy(of file: URL) throws {
    let mode = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions] as? Int ?? 0
    guard mode & 0o007 == 0 else {
      throw SetupError(
        "\(file.path) is open to every user of this machine (mode \(String(mode & 0o777, radix: 8))). "
          + "Close it with: chmod -R o= '\(directory.path)'. If others could read it, also remove access-token.key (access "
          + "tokens and cookies of sockets end, refresh tokens go on), make other API keys with 'madang admin keys create' "
          + "and end these with 'madang admin keys revoke': removing their files does not")
    }
  }

  /// The key that signs access tokens.
  func tokenKey() throws -> [UInt8] { Array(try secret("access-token.key", minimum: 32).utf8) }

  /// A key of its own for each use, derived from one secret.
  static func key(for use: String, from secret: [UInt8]) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: Array(use.utf8), using: SymmetricKey(data: secret)))
  }

  /// The API key of an edition that clients must send.
  func apiKey(_ edition: EditionName) throws -> String { try secret(apiKeyFile(edition)) }

  func apiKeyFile(_ edition: EditionName) -> String { "api-key-\(edition.rawValue)" }

  /// - Parameter minimum: Bytes; SHA-256 wants as many as it makes.
  private func secret(_ name: String, minimum: Int = 16) throws -> String {
    let file = directory.appending(path: name)
    if FileManager.default.fileExists(atPath: file.path) {
      try requirePrivacy(of: file)
      let text = try String(contentsOf: file, encoding: .utf8).trimmingWhitespace()
      guard text.utf8.count >= minimum else {
        throw SetupError(
          "\(file.path) holds no secret of \(minimum) characters or more; remove the file to make a new one")
      }
      return text
    }
    let text = ids.bytes(32).hex
    // Written beside and linked into place, so that two starts at once agree on one secret.
    let temporary = directory.appending(path: ".\(name).\(ids.name(8))")
    guard
      FileManager.default.createFile(
        atPath: temporary.path, contents: Data((text + "\n").utf8), attributes: [.posixPermissions: 0o600])
    else { throw SetupError("\(directory.path) cannot be written") }
    defer { try? FileManager.default.removeItem(at: temporary) }
    do {
      // On disk before anybody is given what it signs: else a power failure would end every session.
      try flush(temporary)
      try FileManager.default.linkItem(at: temporary, to: file)
      try flush(directory)
      return text
    } catch  where FileManager.default.fileExists(atPath: file.path) {
      return try secret(name, minimum: minimum)
    }
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

  public init(_ description: String) { self.description = description }
}
