import Storage

extension Transaction {
  /// Adds `amount`, which may be negative, to the ledger and the balance, and returns the new balance. Throws `.notEnoughCoins` if the
  /// balance would become negative.
  @discardableResult
  func addCoins(_ amount: Int, to user: Int64, for reason: String, now: Int64) throws -> Int {
    let balance: Int? = try first(
      """
      UPDATE users SET coins = coins + \(amount) WHERE id = \(user) AND coins + \(amount) >= 0 AND deleted_at IS NULL
      RETURNING coins
      """
    ) { try $0.get("coins") }
    guard let balance else { throw Failure(.notEnoughCoins, "\(-amount) coins are needed") }
    try execute(
      """
      INSERT INTO coin_entries (user_id, amount, reason, created_at) VALUES (\(user), \(amount), \(reason), \(now))
      """)
    return balance
  }
}
