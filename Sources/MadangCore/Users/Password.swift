import Crypto
import Storage
import Synchronization

extension Madang {
  /// - Parameter turn: Whose turn at the hashing threads it takes: those of one caller wait behind each other.
  func hash(password: String, turn: String = "") async throws -> String {
    let (salt, method) = (ids.bytes(16), PasswordHash.Method.argon2id(settings.passwords.cost))
    return try await hashing.run(turn: turn) { try PasswordHash(of: password, salt: salt, method: method).stored }
  }

  /// What a check of a password came to.
  enum Verification {
    case wrong
    case right
    /// Right, and stored at another cost than new ones: to be stored so.
    case renewed(String)
  }

  /// Whether `password` is the one stored. Without one it takes as long as with one, so that answers do not tell who has
  /// an account.
  func verify(_ password: String, against stored: String?, of emailKey: String, turn: String) async throws
    -> Verification
  {
    let (salt, current) = (ids.bytes(16), PasswordHash.Method.argon2id(settings.passwords.cost))
    let decoy = passwordCosts.decoy(for: emailKey, key: settings.decoyKey) ?? current
    // What is too long to be a password costs as much as one.
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

  /// Notes at which costs passwords are stored; called at start and once in a while.
  package func surveyPasswords() async throws { passwordCosts.note(try await database.read { try $0.passwordCosts() }) }
}

/// At which costs passwords are stored. While they are stored at several, some accounts answer sooner than others; as large a
/// part of the addresses without account does.
package final class PasswordCosts: Sendable {
  private let counts = Mutex<[(method: PasswordHash.Method, count: Int)]>([])

  package init() {}

  func note(_ found: [(example: String, count: Int)]) {
    let known = found.compactMap { row in
      PasswordHash(stored: row.example).map { (method: $0.method, count: row.count) }
    }
    counts.withLock { $0 = known }
  }

  /// What a sign-in with an address without account costs: always the same for one address. Nil before any is known.
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
