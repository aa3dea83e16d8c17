import Storage

extension Transaction {
  /// The condition that an invitation is valid.
  private func isGood(_ now: Int64) -> SQL { "uses_left > 0 AND revoked_at IS NULL AND expires_at > \(now)" }

  func insertInvitation(of email: String, key: String, code: Int64?, now: Int64, expiresAt: Int64) throws -> Invitation
  {
    try one(
      """
      INSERT INTO invitations (email, email_key, code_id, uses_left, created_at, expires_at)
      VALUES (\(email), \(key), \(code), 1, \(now), \(expiresAt)) RETURNING \(sql: Invitation.columns)
      """, Invitation.init)
  }

  func insertInvitation(codeHash: String, uses: Int, now: Int64, expiresAt: Int64) throws -> Invitation {
    try one(
      """
      INSERT INTO invitations (code_hash, uses_left, created_at, expires_at)
      VALUES (\(codeHash), \(uses), \(now), \(expiresAt)) RETURNING \(sql: Invitation.columns)
      """, Invitation.init)
  }

  func hasInvitation(of emailKey: String, now: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM invitations WHERE email_key = \(emailKey) AND \(sql: isGood(now)) LIMIT 1") { _ in
      true
    } ?? false
  }

  /// Uses up the invitation of the address that expires first. Nil if there is none.
  func useInvitation(of emailKey: String, now: Int64) throws -> Int64? {
    try first(
      """
      UPDATE invitations SET uses_left = uses_left - 1 WHERE \(sql: isGood(now)) AND id =
        (SELECT id FROM invitations WHERE email_key = \(emailKey) AND \(sql: isGood(now))
          ORDER BY expires_at, id LIMIT 1)
      RETURNING id
      """
    ) { try $0.get("id") }
  }

  func isUsable(codeHash: String, now: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM invitations WHERE code_hash = \(codeHash) AND \(sql: isGood(now))") { _ in true }
      ?? false
  }

  /// A code that is neither revoked nor expired; it may be used up.
  func code(hash: String, now: Int64) throws -> Invitation? {
    try first(
      """
      SELECT \(sql: Invitation.columns) FROM invitations
      WHERE code_hash = \(hash) AND revoked_at IS NULL AND expires_at > \(now)
      """, Invitation.init)
  }

  /// Whether a code has invited an address.
  func hasInvited(_ emailKey: String, by code: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM invitations WHERE email_key = \(emailKey) AND code_id = \(code) LIMIT 1") { _ in
      true
    } ?? false
  }

  /// Takes one use of a code. Nil if no use is left.
  func useCode(hash: String, now: Int64) throws -> Invitation? {
    try first(
      """
      UPDATE invitations SET uses_left = uses_left - 1 WHERE code_hash = \(hash) AND \(sql: isGood(now))
      RETURNING \(sql: Invitation.columns)
      """, Invitation.init)
  }

  /// One page of invitations, ordered by number, and whether each can admit a person.
  func invitations(after number: Int64, limit: Int, now: Int64) throws -> [(
    invitation: Invitation, isOpen: Bool
  )] {
    try all(
      """
      SELECT \(sql: Invitation.columns), CASE WHEN \(sql: isGood(now)) THEN 1 ELSE 0 END AS is_open FROM invitations
      WHERE id > \(number) ORDER BY id LIMIT \(limit)
      """
    ) { (try Invitation($0), try $0.get("is_open", as: Int.self) == 1) }
  }

  func revokeInvitation(_ id: Int64, now: Int64) throws -> Invitation? {
    let revoked = try first(
      """
      UPDATE invitations SET revoked_at = \(now) WHERE id = \(id) AND revoked_at IS NULL
      RETURNING \(sql: Invitation.columns)
      """, Invitation.init)
    if revoked != nil {
      try execute(
        "UPDATE invitations SET revoked_at = \(now) WHERE code_id = \(id) AND \(sql: isGood(now))")
    }
    return revoked
  }

  /// Deletes all invitations of the address.
  func deleteInvitations(of emailKey: String) throws {
    try execute("DELETE FROM invitations WHERE email_key = \(emailKey)")
  }

  /// Deletes up to `limit` expired invitations, and returns how many.
  func deleteInvitations(expiredBefore time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM invitations WHERE id IN
        (SELECT id FROM invitations WHERE expires_at < \(time) ORDER BY expires_at LIMIT \(limit))
      """)
  }
}
