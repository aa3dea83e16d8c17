import Storage

extension Transaction {
  /// The condition that an invitation is valid.
  private func isGood(_ now: Int64) -> SQL { "uses_left > 0 AND revoked_at IS NULL AND expires_at > \(now)" }

  /// Inserts the invitation of one address.
  func insertInvitation(
    of email: String, key: String, link: String? = nil, code: Int64? = nil, to place: InvitedPlace, now: Int64,
    expiresAt: Int64
  ) throws -> Invitation {
    try one(
      """
      INSERT INTO invitations
        (email, email_key, link_hash, code_id, workspace_id, inviter, uses_left, created_at, expires_at)
      VALUES (\(email), \(key), \(link), \(code), \(place.workspace), \(place.inviter), 1, \(now), \(expiresAt))
      RETURNING \(sql: Invitation.columns)
      """, Invitation.init)
  }

  func insertInvitation(codeHash: String, uses: Int, to place: InvitedPlace, now: Int64, expiresAt: Int64) throws
    -> Invitation
  {
    try one(
      """
      INSERT INTO invitations (code_hash, workspace_id, inviter, uses_left, created_at, expires_at)
      VALUES (\(codeHash), \(place.workspace), \(place.inviter), \(uses), \(now), \(expiresAt))
      RETURNING \(sql: Invitation.columns)
      """, Invitation.init)
  }

  /// - Parameter workspace: Only invitations that lead to this workspace; nil for all.
  func hasInvitation(of emailKey: String, to workspace: Int64? = nil, now: Int64) throws -> Bool {
    let place: SQL = workspace.map { "workspace_id = \($0)" } ?? "1 = 1"
    return try first(
      """
      SELECT 1 AS found FROM invitations
      WHERE email_key = \(emailKey) AND \(sql: place) AND \(sql: isGood(now)) LIMIT 1
      """
    ) { _ in true } ?? false
  }

  /// The most workspaces that a new account joins by its invitations.
  private static let mostWorkspaces = 100

  /// Uses up the invitations of an address that lead to workspaces, in the workspaces' order. If there are none but one is needed, uses up
  /// the one that expires first.
  func useInvitations(of emailKey: String, needsOne: Bool, now: Int64) throws -> [Invitation] {
    let isOfAddress: SQL = "email_key = \(emailKey) AND \(sql: isGood(now))"
    let leading = try useInvitations(
      "\(sql: isOfAddress) AND workspace_id IS NOT NULL ORDER BY workspace_id, id LIMIT \(Self.mostWorkspaces)", now)
    guard leading.isEmpty, needsOne else {
      return leading.sorted { ($0.workspace ?? 0, $0.id) < ($1.workspace ?? 0, $1.id) }
    }
    return try useInvitations("\(sql: isOfAddress) ORDER BY expires_at, id LIMIT 1", now)
  }

  private func useInvitations(_ chosen: SQL, _ now: Int64) throws -> [Invitation] {
    try all(
      """
      UPDATE invitations SET uses_left = uses_left - 1
      WHERE \(sql: isGood(now)) AND id IN (SELECT id FROM invitations WHERE \(sql: chosen))
      RETURNING \(sql: Invitation.columns)
      """, Invitation.init)
  }

  /// Those of these invitations that a code belongs to: that of their own link, or the one by which their address was invited.
  func invitations(_ ids: [Int64], shownBy hash: String) throws -> Set<Int64> {
    Set(
      try all(
        """
        SELECT id FROM invitations WHERE id IN (\(list: ids))
          AND (link_hash = \(hash) OR code_id IN (SELECT c.id FROM invitations c WHERE c.code_hash = \(hash)))
        """
      ) { try $0.get("id") })
  }

  /// Remembers the account that joins the workspaces of these invitations later.
  func setJoiner(_ user: Int64, of invitations: [Int64]) throws {
    try execute("UPDATE invitations SET joiner_id = \(user) WHERE id IN (\(list: invitations))")
  }

  /// Returns the invitations of ``setJoiner(_:of:)``, and forgets the account.
  func takeInvitations(joinedBy user: Int64) throws -> [Invitation] {
    try all(
      "UPDATE invitations SET joiner_id = NULL WHERE joiner_id = \(user) RETURNING \(sql: Invitation.columns)",
      Invitation.init)
  }

  /// The invitation of a code or of a link that is neither revoked nor expired; it may be used up.
  func invitation(hash: String, now: Int64) throws -> Invitation? {
    try first(
      """
      SELECT \(sql: Invitation.columns) FROM invitations
      WHERE (code_hash = \(hash) OR link_hash = \(hash)) AND revoked_at IS NULL AND expires_at > \(now)
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
