import Storage

extension Transaction {
  /// The account with an address, if it can sign in with a password.
  func personWithPassword(_ email: String) throws -> Person? {
    guard let person = try personByEmail(email) else { return nil }
    return try first(
      "SELECT 1 AS found FROM users WHERE id = \(person.id.number) AND password_hash IS NOT NULL AND disabled_at IS NULL"
    ) { _ in person }
  }

  func setPassword(_ hash: String, of user: Int64) throws {
    try execute("UPDATE users SET password_hash = \(hash) WHERE id = \(user)")
  }
}
