import Crypto
import Storage
import Synchronization

extension Madang {
  /// - Parameter turn: The caller whose turn at the hashing threads this takes; requests of one caller wait for each other.
  func hash(password: String, turn: String = "") async throws -> String {
    let (salt, method) = (ids.bytes(16), PasswordHash.Method.argon2id(settings.passwords.cost))
    return try await hashing.run(turn: turn) { try PasswordHash(of: password, salt: salt, method: method).stored }
  }

  /// The result of a password check.
  enum Verification {
    case wrong
    case right
    /// Correct, but stored at another cost than new ones; the value is to be stored instead.
    case renewed(String)
  }

  /// Compares `password` with the stored one. Without a stored one this takes as long, so that the time of an answer does not reveal who
  /// has an account.
  func verify(_ password: String, against stored: String?, of emailKey: String, turn: String) async throws
    -> Verification
  {
    let (salt, current) = (ids.bytes(16), PasswordHash.Method.argon2id(settings.passwords.cost))
    let decoy = passwordCosts.decoy(for: emailKey, key: settings.decoyKey) ?? current
    // A password that is too long costs as much as any other.
    let isPassword = password.utf8.count <= TextRules.maxPasswordSize
    return try await hashing.run(turn: turn) {
      guard isPassword, let stored, let hash = PasswordHash(stored: stored) else {
        _ = try PasswordHash(of: isPassword ? password : "", salt: salt, method: decoy)
        return .wrong
      }
      guard try hash.matches(password) else { return .wrong }
      guard hash.method != current else { return .right }
      return .renewed(try PasswordHash(of: password, salt: salt, method: current).stored)
    }
  }

  /// Reads the costs at which passwords are stored; called at start and from time to time.
  package func surveyPasswords() async throws { passwordCosts.note(try await database.read { try $0.passwordCosts() }) }
}

/// The costs at which passwords are stored. While there are several, some accounts answer faster than others; so the same share of unknown
/// addresses answers faster too.
package final class PasswordCosts: Sendable {
  private let counts = Mutex<[(method: PasswordHash.Method, count: Int)]>([])

  package init() {}

  func note(_ found: [(example: String, count: Int)]) {
    let known = found.compactMap { row in
      PasswordHash(stored: row.example).map { (method: $0.method, count: row.count) }
    }
    counts.withLock { $0 = known }
  }

  /// The cost of a sign-in with an unknown address, always the same for one address. Nil before the first survey.
  func decoy(for emailKey: String, key: [UInt8]) -> PasswordHash.Method? {
    let counts = counts.withLock(\.self)
    let total = counts.reduce(0) { $0 + $1.count }
    guard total > 0 else { return nil }
    let code = HMAC<SHA256>.authenticationCode(for: Array(emailKey.utf8), using: SymmetricKey(data: key))
    var place = Int(code.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) } % UInt64(total))
    for (method, count) in counts {
      if place < count { return method }
      place -= count
    }
    return nil
  }
}
