import Storage

/// An invitation as administrators see it.
package struct Invitation: Sendable {
  package let id: Int64
  /// Nil for an invitation by code.
  package let email: String?
  /// The invitation whose code admitted the address; nil if an administrator made this invitation.
  package let code: Int64?
  /// The workspace that a new account joins; nil for none.
  package let workspace: Int64?
  /// The workspace's name; nil also if the workspace was deleted.
  package let workspaceName: String?
  /// The name of the person who invites, as the invited read it; nil if it was not given.
  package let inviter: String?
  /// How many more accounts, or addresses of a code, it can admit.
  package let usesLeft: Int
  /// Milliseconds since 1970, as the others.
  package let createdAt: Int64
  package let expiresAt: Int64
  package let revokedAt: Int64?

  static let columns: SQL = """
    id, email, code_id, uses_left, created_at, expires_at, revoked_at, workspace_id, inviter,
      (SELECT w.name FROM workspaces w WHERE w.id = invitations.workspace_id AND w.deleted_at IS NULL) AS workspace_name
    """

  init(_ row: Row) throws {
    id = try row.get("id")
    email = try row.get("email")
    code = try row.get("code_id")
    workspace = try row.get("workspace_id")
    workspaceName = try row.get("workspace_name")
    inviter = try row.get("inviter")
    usesLeft = try row.get("uses_left")
    createdAt = try row.get("created_at")
    expiresAt = try row.get("expires_at")
    revokedAt = try row.get("revoked_at")
  }
}
