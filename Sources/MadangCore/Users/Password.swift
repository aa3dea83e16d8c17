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
    guard try await isRight(password, stored, of: emailKey, among: passwordCosts, turn: turn), let stored else {
      return .wrong
    }
    return try await renewed(password, stored, turn: turn).map { .renewed($0) } ?? .right
  }

  /// Compares `password` with the stored one. Takes as long without a stored one.
  /// - Parameter costs: The costs of stored passwords. `key` chooses one if there is no stored one.
  func isRight(
    _ password: String, _ stored: String?, of key: String, among costs: PasswordCosts, turn: String
  ) async throws -> Bool {
    let salt = ids.bytes(16)
    let decoy = costs.decoy(for: key, key: settings.decoyKey) ?? .argon2id(settings.passwords.cost)
    // A password that is too long costs as much as any other.
    let isPassword = password.utf8.count <= TextRules.maxPasswordSize
    return try await hashing.run(turn: turn) {
      guard isPassword, let stored, let hash = PasswordHash(stored: stored) else {
        _ = try PasswordHash(of: isPassword ? password : "", salt: salt, method: decoy)
        return false
      }
      return try hash.matches(password)
    }
  }

  /// The stored form of a right password at the cost of new ones; nil if it has that cost.
  func renewed(_ password: String, _ stored: String, turn: String) async throws -> String? {
    guard PasswordHash(stored: stored)?.method != .argon2id(settings.passwords.cost) else { return nil }
    return try await hash(password: password, turn: turn)
  }

  /// Reads the costs at which passwords are stored; called at start and from time to time.
  package func surveyPasswords() async throws { passwordCosts.note(try await database.read { try $0.passwordCosts() }) }
}
