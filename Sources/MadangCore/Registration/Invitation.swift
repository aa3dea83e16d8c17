import Storage

/// An invitation as administrators see it.
package struct Invitation: Sendable {
  package let id: Int64
  /// Nil for an invitation by code.
  package let email: String?
  /// The invitation whose code admitted the address; nil if an administrator made this invitation.
  package let code: Int64?
  /// How many more accounts, or addresses of a code, it can admit.
  package let usesLeft: Int
  /// Milliseconds since 1970, as the others.
  package let createdAt: Int64
  package let expiresAt: Int64
  package let revokedAt: Int64?

  static let columns: SQL = "id, email, code_id, uses_left, created_at, expires_at, revoked_at"

  init(_ row: Row) throws {
    id = try row.get("id")
    email = try row.get("email")
    code = try row.get("code_id")
    usesLeft = try row.get("uses_left")
    createdAt = try row.get("created_at")
    expiresAt = try row.get("expires_at")
    revokedAt = try row.get("revoked_at")
  }
}
