import Storage

extension Transaction {
  /// One stored hash of each method and cost, with how many there are.
  func passwordCosts() throws -> [(example: String, count: Int)] {
    // Salt and hash, which are as long in every hash, are the last 70 characters at most.
    try all(
      """
      SELECT MIN(password_hash) AS example, COUNT(*) AS accounts FROM users WHERE length(password_hash) > 70
      GROUP BY substr(password_hash, 1, length(password_hash) - 70) ORDER BY example
      """
    ) { (try $0.get("example"), try $0.get("accounts")) }
  }

  func storePassword(_ hash: String, of user: Int64, insteadOf old: String?) throws {
    try execute("UPDATE users SET password_hash = \(hash) WHERE id = \(user) AND password_hash = \(old)")
  }
}
