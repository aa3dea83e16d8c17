import Storage

extension Madang {
  /// - Parameter turn: Names the caller. Callers take turns at the hashing threads.
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
