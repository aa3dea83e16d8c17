import Storage

extension Transaction {
  /// Locked until COMMIT; nil if there is none.
  func lockedAccount(of provider: SocialProvider, subject: String) throws -> Account? {
    guard let known = try account(of: provider, subject: subject) else { return nil }
    try lock(user: known.person.id.number)
    // The account may have been deleted a moment ago.
    return try account(of: provider, subject: subject)
  }

  /// How far the clocks of servers may differ, in milliseconds.
  private static let clockTolerance: Int64 = 60_000

  /// Tokens issued up to this time are rejected; nil if none are.
  func signInRevoked(_ user: Int64, now: Int64) throws -> Int64? {
    let time = try first("SELECT sign_in_revoked_at FROM users WHERE id = \(user)") {
      try $0.get("sign_in_revoked_at", as: Int64?.self)
    }
    return Self.revocation(time ?? nil, now: now)
  }

  /// Nil for a time in the future: it came from a clock that was ahead, and would reject all tokens until then.
  static func revocation(_ time: Int64?, now: Int64) -> Int64? { time.flatMap { $0 > now + clockTolerance ? nil : $0 } }

  func revokeSignIn(_ user: Int64, at time: Int64) throws {
    try execute("UPDATE users SET sign_in_revoked_at = \(time) WHERE id = \(user)")
  }
}
