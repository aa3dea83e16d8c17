import Storage

extension Transaction {
  private static func hash(_ provider: SocialProvider, _ subject: String) -> String {
    "\(provider.rawValue) \(subject)".sha256
  }

  /// Tokens issued up to this time are rejected for a person whose account was deleted; nil if none are rejected.
  func deletedSignIn(of provider: SocialProvider, subject: String, now: Int64) throws -> Int64? {
    let hash = Self.hash(provider, subject)
    return Self.revocation(
      try first("SELECT revoked_at FROM deleted_sign_ins WHERE subject_hash = \(hash)") { try $0.get("revoked_at") },
      now: now)
  }

  /// Prevents tokens that were issued up to `time` from making a new account. Does nothing for an account that signs in with a password.
  func insertDeletedSignIn(of user: Int64, revokedAt time: Int64, now: Int64) throws {
    let identity = try first("SELECT sign_in_method, sign_in_subject FROM users WHERE id = \(user)") {
      (try $0.get("sign_in_method", as: String?.self), try $0.get("sign_in_subject", as: String?.self))
    }
    guard let provider = identity?.0.flatMap(SocialProvider.init), let subject = identity?.1 else { return }
    try execute(
      """
      INSERT INTO deleted_sign_ins (subject_hash, revoked_at, deleted_at)
      VALUES (\(Self.hash(provider, subject)), \(time), \(now))
      ON CONFLICT (subject_hash) DO UPDATE SET revoked_at = excluded.revoked_at, deleted_at = excluded.deleted_at
      """)
  }

  /// Deletes up to `limit` old records, and returns how many.
  func deleteDeletedSignIns(before time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM deleted_sign_ins WHERE subject_hash IN
        (SELECT subject_hash FROM deleted_sign_ins WHERE deleted_at <= \(time) ORDER BY deleted_at LIMIT \(limit))
      """)
  }
}
