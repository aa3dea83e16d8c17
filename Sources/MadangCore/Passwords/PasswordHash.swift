import CArgon2
import Crypto
import CryptoExtras
import Foundation

/// The cost of new password hashes: Argon2id with one lane. The default is one of OWASP's minimums.
public struct PasswordCost: Hashable, Sendable {
  public var memory = setting(
    "password.memory", 19_456, .integer(8...4_194_304), "KiB of memory to hash one password (Argon2id)")
  public var passes = setting(
    "password.passes", 2, .integer(1...1000), "number of passes over that memory")

  public init() {}

  public init(memory: Int, passes: Int) {
    self.memory = memory
    self.passes = passes
  }
}

/// A stored password in the PHC string format: `$argon2id$v=19$m=19456,t=2,p=1$<salt>$<hash>`.
struct PasswordHash {
  /// The algorithm of a hash, with its cost.
  enum Method: Hashable {
    case argon2id(PasswordCost)
    /// Accounts that earlier versions made and that have not signed in since.
    case scrypt(logRounds: Int, blockSize: Int, parallelism: Int)
  }

  let method: Method
  private let salt: [UInt8]
  private let hash: [UInt8]

  init(of password: String, salt: [UInt8], method: Method) throws {
    self.method = method
    self.salt = salt
    hash = try method.derive(password, salt)
  }

  /// Nil if the text is not a hash.
  init?(stored: String) {
    let parts = stored.split(separator: "$").map(String.init)
    guard parts.count >= 4, let salt = Data(unpaddedBase64: parts[parts.count - 2]),
      let hash = Data(unpaddedBase64: parts[parts.count - 1]), hash.count == Self.size
    else { return nil }
    let numbers = parts[parts.count - 3].split(separator: ",").compactMap { Int($0.drop { $0 != "=" }.dropFirst()) }
    guard numbers.count == 3 else { return nil }
    switch parts[0] {
    case "argon2id" where parts.count == 5 && parts[1] == "v=19" && numbers[2] == 1:
      method = .argon2id(PasswordCost(memory: numbers[0], passes: numbers[1]))
    case "scrypt" where parts.count == 4:
      method = .scrypt(logRounds: numbers[0], blockSize: numbers[1], parallelism: numbers[2])
    default: return nil
    }
    self.salt = [UInt8](salt)
    self.hash = [UInt8](hash)
  }

  var stored: String { "\(method.stored)$\(Data(salt).unpaddedBase64)$\(Data(hash).unpaddedBase64)" }

  /// Compares in constant time.
  func matches(_ password: String) throws -> Bool {
    let candidate = try method.derive(password, salt)
    return candidate.count == hash.count && zip(candidate, hash).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
  }

  /// The stored form of another text with the salt and the cost of this one.
  func hash(of text: String) throws -> String { try PasswordHash(of: text, salt: salt, method: method).stored }

  fileprivate static let size = 32
}

extension PasswordHash.Method {
  fileprivate var stored: String {
    switch self {
    case .argon2id(let cost): "$argon2id$v=19$m=\(cost.memory),t=\(cost.passes),p=1"
    case .scrypt(let logRounds, let blockSize, let parallelism):
      "$scrypt$ln=\(logRounds),r=\(blockSize),p=\(parallelism)"
    }
  }

  fileprivate func derive(_ password: String, _ salt: [UInt8]) throws -> [UInt8] {
    let text = Array(password.precomposedStringWithCanonicalMapping.utf8)
    switch self {
    case .argon2id(let cost):
      var hash = [UInt8](repeating: 0, count: PasswordHash.size)
      let code = argon2id_hash_raw(
        UInt32(clamping: cost.passes), UInt32(clamping: cost.memory), 1, text, text.count, salt, salt.count, &hash,
        hash.count)
      guard code == ARGON2_OK.rawValue else { throw HashingFailed(reason: String(cString: argon2_error_message(code))) }
      return hash
    case .scrypt(let logRounds, let blockSize, let parallelism):
      // Overrides the library's own memory limit of 32 MiB; the cost itself is the limit.
      let memory = 128 * blockSize * (1 << logRounds + parallelism) + (1 << 20)
      let key = try KDF.Scrypt.deriveKey(
        from: Data(text), salt: salt, outputByteCount: PasswordHash.size, rounds: 1 << logRounds, blockSize: blockSize,
        parallelism: parallelism, maxMemory: memory)
      return key.withUnsafeBytes { [UInt8]($0) }
    }
  }
}

/// A hash could not be computed, for example because memory ran out.
private struct HashingFailed: Error {
  let reason: String
}

extension Data {
  fileprivate var unpaddedBase64: String {
    let text = base64EncodedString()
    return String(text.prefix { $0 != "=" })
  }

  /// Accepts padding, which earlier versions wrote.
  fileprivate init?(unpaddedBase64 text: String) {
    let text = text.prefix { $0 != "=" }
    self.init(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
  }
}
