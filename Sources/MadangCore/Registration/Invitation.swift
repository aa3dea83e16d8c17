import Storage

/// An invitation as administrators see it.
package struct Invitation: Sendable {
  package let id: Int64
  /// Nil for one of a code.
  package let email: String?
  /// The invitation of the code with which the address was admitted; nil for one that an administrator made.
  package let code: Int64?
  /// How many accounts, or addresses of a code, it is still good for.
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
