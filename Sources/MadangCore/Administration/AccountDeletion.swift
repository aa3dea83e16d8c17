import Storage

extension Madang {
  /// Deletes an account: its memberships, sessions, device tokens, addresses, invitations, waiting mails, picture, and everything in its row that is
  /// about the person. The row stays, without a name, for what it wrote in rooms of others; payments and the ledger stay for
  /// the books. Its address is free for a new account. Channels it owned go to the workspaces' owners.
  ///
  /// Throws `.noSuchUser`; `.mustHandOver` if it owns workspaces; `.held` if it belongs to one that is on legal hold.
  package func deleteAccount(email: String) async throws -> AccountRecord {
    try await database.write { [self, now = clock.now] transaction in
      let person = try transaction.person(email: email)
      let user = person.id.number
      try transaction.hold(user: user)
      let owned = try transaction.workspaces(of: user).filter { $0.owner == person.id }.map { "'\($0.name)'" }
      guard owned.isEmpty else {
        let others = owned.count > 5 ? " and \(owned.count - 5) more" : ""
        throw Failure(
          .mustHandOver,
          "\(person.email) owns \(owned.prefix(5).joined(separator: ", "))\(others); hand them over or delete them first"
        )
      }
      if let name = try transaction.nameOfHeldWorkspace(with: user) {
        throw Failure(.held, "'\(name)', to which \(person.email) belongs, is on legal hold; release it first")
      }
      let workspaces = try transaction.workspaces(of: user)
      for workspace in workspaces {
        let held = try transaction.heldWorkspace(.number(workspace.id.number), of: user)
        _ = try remove(user, from: held, now: now, in: transaction)
      }
      let sessions = try endSessions(of: user, in: transaction)
      let account = try transaction.account(user)
      if account.coins > 0 {
        try transaction.addCoins(-account.coins, to: user, for: "account deleted", now: now)
      }
      try transaction.retire(person.picture, due: now)
      try transaction.deleteInvitations(of: TextRules.emailKey(person.email))
      try transaction.deletePasswordResets(of: user)
      try transaction.deleteMails(to: person.email)
      try transaction.makeAnonymous(person.id, nickname: settings.deletedNickname, now: now)
      try audit(
        AuditEntry(
          kind: .accountDeleted, actor: .administrator, account: user, subject: person.email,
          detail: ["workspaces": "\(workspaces.count)", "sessions": "\(sessions)", "coins": "\(account.coins)"]),
        in: transaction)
      return try transaction.accountRecord(user)
    }
  }
}

extension Transaction {
  /// The domain is one that nobody can have (RFC 2606), and the id keeps addresses apart.
  fileprivate func makeAnonymous(_ id: ObjectID, nickname: String, now: Int64) throws {
    let email = "deleted-\(id.uuid)@deleted.invalid"
    try execute(
      """
      UPDATE users SET email = \(email), email_key = \(TextRules.emailKey(email)), password_hash = NULL,
        nickname = \(nickname), phone = '', profile_image = NULL, sign_in_method = NULL, sign_in_subject = NULL,
        disabled_at = COALESCE(disabled_at, \(now)), deleted_at = \(now)
      WHERE id = \(id.number)
      """)
  }

  /// One of the workspaces on legal hold in which the account is, or has written.
  fileprivate func nameOfHeldWorkspace(with user: Int64) throws -> String? {
    try first(
      """
      SELECT w.name FROM workspaces w WHERE w.held_at IS NOT NULL AND (
        EXISTS (SELECT 1 FROM workspace_members m WHERE m.workspace_id = w.id AND m.user_id = \(user))
        OR EXISTS (SELECT 1 FROM rooms r JOIN chats c ON c.room_id = r.id AND c.author_id = \(user)
          WHERE r.workspace_id = w.id))
      ORDER BY w.id LIMIT 1
      """
    ) { try $0.get("name") }
  }
}
