import Crypto
import CryptoExtras
import Foundation
import Storage

/// How expensive a password hash is. The default follows OWASP's advice for scrypt with 32 MiB of memory.
package struct PasswordCost: Sendable, Hashable {
  /// Base-2 logarithm of scrypt's N; 128 × r × N bytes are used while hashing.
  package var logRounds = 15
  package var blockSize = 8
  package var parallelism = 3

  package init() {}

  package init(logRounds: Int, blockSize: Int, parallelism: Int) {
    self.logRounds = logRounds
    self.blockSize = blockSize
    self.parallelism = parallelism
  }
}

/// A password as stored: `$scrypt$ln=15,r=8,p=3$<salt>$<hash>`, both Base64.
struct PasswordHash {
  let cost: PasswordCost
  let salt: [UInt8]
  let hash: [UInt8]

  init(of password: String, salt: [UInt8], cost: PasswordCost) throws {
    self.cost = cost
    self.salt = salt
    hash = try Self.derive(password, salt, cost)
  }

  init?(stored: String) {
    let parts = stored.split(separator: "$").map(String.init)
    guard parts.count == 4, parts[0] == "scrypt" else { return nil }
    let numbers = parts[1].split(separator: ",").compactMap { Int($0.drop { $0 != "=" }.dropFirst()) }
    guard numbers.count == 3, let salt = Data(base64Encoded: parts[2]), let hash = Data(base64Encoded: parts[3])
    else { return nil }
    cost = PasswordCost(logRounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
    self.salt = [UInt8](salt)
    self.hash = [UInt8](hash)
  }

  var stored: String {
    let base64 = { (bytes: [UInt8]) in Data(bytes).base64EncodedString() }
    return
      "$scrypt$ln=\(cost.logRounds),r=\(cost.blockSize),p=\(cost.parallelism)$\(base64(salt))$\(base64(hash))"
  }

  /// Compares in constant time.
  func matches(_ password: String) throws -> Bool {
    let candidate = try Self.derive(password, salt, cost)
    return candidate.count == hash.count && zip(candidate, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  private static func derive(_ password: String, _ salt: [UInt8], _ cost: PasswordCost) throws -> [UInt8] {
    // The library's own memory limit is 32 MiB; the cost asked for is the limit that counts.
    let memory = 128 * cost.blockSize * (1 << cost.logRounds + cost.parallelism) + (1 << 20)
    let key = try KDF.Scrypt.deriveKey(
      from: Data(password.precomposedStringWithCanonicalMapping.utf8), salt: salt, outputByteCount: 32,
      rounds: 1 << cost.logRounds, blockSize: cost.blockSize, parallelism: cost.parallelism, maxMemory: memory)
    return key.withUnsafeBytes { [UInt8]($0) }
  }
}

extension Madang {
  func hash(password: String) async throws -> String {
    let salt = ids.bytes(16)
    let cost = settings.passwordCost
    return try await hashing.run { try PasswordHash(of: password, salt: salt, cost: cost).stored }
  }

  /// Whether `password` is the one stored. Takes as long when there is none, so that answers do not tell who has an
  /// account.
  func verify(_ password: String, against stored: String?) async throws -> Bool {
    let salt = ids.bytes(16)
    let cost = settings.passwordCost
    return try await hashing.run {
      guard let stored, let hash = PasswordHash(stored: stored) else {
        _ = try PasswordHash(of: password, salt: salt, cost: cost)
        return false
      }
      return try hash.matches(password)
    }
  }
}
