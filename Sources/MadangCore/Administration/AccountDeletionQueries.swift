import Storage

extension Transaction {
  /// - Parameter name: Must be unguessable: the address is made of it, and an account with that address must not exist.
  func makeAnonymous(_ user: Int64, as name: String, nickname: String, now: Int64) throws {
    // A domain that cannot be registered (RFC 2606).
    let email = "deleted-\(name)@deleted.invalid"
    try execute(
      """
      UPDATE users SET email = \(email), email_key = \(TextRules.emailKey(email)), password_hash = NULL,
        nickname = \(nickname), phone = '', profile_image = NULL, sign_in_method = NULL, sign_in_subject = NULL,
        sign_in_revoked_at = NULL, unconfirmed_at = NULL, pending_at = NULL, disabled_at = COALESCE(disabled_at, \(now)), deleted_at = \(now)
      WHERE id = \(user)
      """)
  }

  func kakaoSubject(of user: Int64) throws -> String? {
    try first(
      """
      SELECT sign_in_subject FROM users WHERE id = \(user) AND sign_in_method = \(SocialProvider.kakao.rawValue)
      """
    ) { try $0.get("sign_in_subject") }
  }

  /// The name of a workspace on legal hold in which the account is a member or has written; nil if there is none.
  func holdOn(_ user: Int64) throws -> String? { try first(Self.holdOn(user)) { try $0.get("name") } }

  /// Reads only the workspaces on hold (`workspaces_held`) and their rooms, so the cost does not depend on where else the account has
  /// written.
  static func holdOn(_ user: Int64) -> SQL {
    """
    SELECT w.name FROM workspaces w
    WHERE w.held_at IS NOT NULL
      AND (EXISTS (SELECT 1 FROM workspace_members m WHERE m.workspace_id = w.id AND m.user_id = \(user))
        OR EXISTS (SELECT 1 FROM rooms r JOIN chats c ON c.room_id = r.id AND c.author_id = \(user)
          WHERE r.workspace_id = w.id))
    LIMIT 1
    """
  }
}
