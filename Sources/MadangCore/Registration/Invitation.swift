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

/// The code of an invitation: 128 random bits, of which only the hash is stored.
package struct InvitationCode: Sendable {
  private static let randomBytes = 16

  package let text: String
  var hash: String { Self.hash(text) }

  init(_ ids: IDSource) { text = ids.bytes(Self.randomBytes).hex }

  static func hash(_ text: String) -> String { text.sha256 }

  /// Whether a text can be one.
  package static func hasForm(_ text: String) -> Bool {
    text.utf8.count == 2 * randomBytes
      && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }
}
