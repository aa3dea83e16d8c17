import Storage

extension Transaction {
  func isCredited(_ id: String, merchantID: String) throws -> Bool {
    try first("SELECT 1 AS found FROM payments WHERE imp_uid = \(id) OR merchant_uid = \(merchantID)") { _ in true }
      ?? false
  }

  /// Claims the payment for an account, unless another has claimed it, and returns the owner.
  func claimPayment(_ id: String, user: Int64, now: Int64) throws -> Int64 {
    try execute(
      """
      INSERT INTO payment_claims (imp_uid, user_id, claimed_at) VALUES (\(id), \(user), \(now)) ON CONFLICT DO NOTHING
      """)
    return try one("SELECT user_id FROM payment_claims WHERE imp_uid = \(id)") { try $0.get("user_id") }
  }

  /// Returns the new row's ids; nil if either id of the payment was credited before.
  func insertPayment(_ payment: Payment, _ item: StoreItem, uuid: String, user: Int64, now: Int64) throws -> ObjectID? {
    try first(
      """
      INSERT INTO payments (uuid, user_id, imp_uid, merchant_uid, item, amount, coins, paid_at)
      VALUES (\(uuid), \(user), \(payment.id), \(payment.merchantID), \(item.name), \(item.amount), \(item.coins),
        \(payment.paidAt))
      ON CONFLICT DO NOTHING \(sql: .returningID)
      """
    ) { ObjectID(number: try $0.get("id"), uuid: uuid) }
  }
}
