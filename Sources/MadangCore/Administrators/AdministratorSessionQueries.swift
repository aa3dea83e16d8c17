import Storage

extension Transaction {
  func insertAdministratorSession(of administrator: Int64, tokenHash: String, now: Int64) throws -> Int64 {
    try one(
      """
      INSERT INTO administrator_sessions (token_hash, administrator_id, created_at, used_at, pending_until)
      VALUES (\(tokenHash), \(administrator), \(now), \(now), 0) \(sql: .returningID)
      """
    ) { try $0.get("id") }
  }

  /// A session with its times, which may have ended by them.
  func administratorSession(
    _ tokenHash: String
  ) throws -> (session: AdministratorSession, createdAt: Int64, usedAt: Int64)? {
    try first(
      """
      SELECT s.id, s.administrator_id, a.name, s.created_at, s.used_at FROM administrator_sessions s
      JOIN administrators a ON a.id = s.administrator_id WHERE s.token_hash = \(tokenHash)
      """
    ) { row in
      let session = AdministratorSession(
        number: try row.get("id"), account: try row.get("administrator_id"), name: try row.get("name"))
      return (session, try row.get("created_at"), try row.get("used_at"))
    }
  }

  func touchAdministratorSession(_ number: Int64, now: Int64) throws {
    try execute("UPDATE administrator_sessions SET used_at = \(now) WHERE id = \(number) AND used_at < \(now)")
  }

  func deleteAdministratorSession(_ number: Int64) throws {
    try execute("DELETE FROM administrator_sessions WHERE id = \(number)")
  }

  /// Deletes all sessions of an administrator but one, and returns how many.
  func deleteAdministratorSessions(of administrator: Int64, but kept: Int64) throws -> Int {
    try execute("DELETE FROM administrator_sessions WHERE administrator_id = \(administrator) AND id <> \(kept)")
  }

  /// Deletes the sessions of an administrator that were used longest ago, beyond a number.
  func deleteAdministratorSessions(of administrator: Int64, beyond most: Int) throws {
    try execute(
      """
      DELETE FROM administrator_sessions WHERE administrator_id = \(administrator) AND id NOT IN
        (SELECT id FROM administrator_sessions WHERE administrator_id = \(administrator)
          ORDER BY used_at DESC, id DESC LIMIT \(most))
      """)
  }

  /// Deletes the sessions that have ended by their age, or were begun while the clock was far ahead.
  func deleteAdministratorSessions(lasting lifetime: Int64, now: Int64) throws {
    try execute(
      "DELETE FROM administrator_sessions WHERE created_at <= \(now - lifetime) OR created_at >= \(now + lifetime)")
  }

  func setPendingStep(_ stored: String, until end: Int64, of session: Int64) throws {
    try execute(
      "UPDATE administrator_sessions SET pending_step = \(stored), pending_until = \(end) WHERE id = \(session)")
  }

  func pendingStep(of session: Int64, now: Int64) throws -> String? {
    try first(
      """
      SELECT pending_step FROM administrator_sessions
      WHERE id = \(session) AND pending_step IS NOT NULL AND pending_until > \(now)
      """
    ) { try $0.get("pending_step") }
  }

  /// False if another secret waits now, or none.
  func takePendingStep(_ stored: String, of session: Int64) throws -> Bool {
    try execute(
      "UPDATE administrator_sessions SET pending_step = NULL WHERE id = \(session) AND pending_step = \(stored)") > 0
  }
}
