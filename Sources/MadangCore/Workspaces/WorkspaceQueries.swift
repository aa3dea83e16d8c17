import Storage

extension Transaction {
  /// The new workspace's id, or nil if the name is taken.
  func insertWorkspace(uuid: String, name: String, description: String, cover: String?, owner: Int64, now: Int64)
    throws -> Int64?
  {
    try first(
      """
      INSERT INTO workspaces (uuid, name, description, cover_image, owner_id, created_at)
      VALUES (\(uuid), \(name), \(description), \(cover), \(owner), \(now))
      ON CONFLICT (name) DO NOTHING RETURNING id
      """
    ) { try $0.get("id") }
  }

  /// Whether the person was not yet a member.
  @discardableResult
  func insertWorkspaceMember(_ user: Int64, workspace: Int64, now: Int64) throws -> Bool {
    try execute(
      """
      INSERT INTO workspace_members (workspace_id, user_id, joined_at) VALUES (\(workspace), \(user), \(now))
      ON CONFLICT (workspace_id, user_id) DO NOTHING
      """) == 1
  }

  /// The workspace, if the person belongs to it.
  func workspace(_ reference: Reference, of user: Int64) throws -> Workspace {
    let found = try first(
      """
      SELECT \(sql: Workspace.columns) FROM workspaces w
      JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = \(user)
      WHERE \(sql: reference.matches("w"))
      """, Workspace.init)
    guard let found else { throw Failure(.notFound, "no such workspace, or the caller is no member of it") }
    return found
  }

  func workspaces(of user: Int64) throws -> [Workspace] {
    try all(
      """
      SELECT \(sql: Workspace.columns) FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
      WHERE m.user_id = \(user) ORDER BY w.created_at DESC, w.id DESC
      """, Workspace.init)
  }

  func members(ofWorkspace workspace: Int64) throws -> [Person] {
    try all(
      """
      SELECT \(sql: Person.columns) FROM workspace_members m JOIN users u ON u.id = m.user_id
      WHERE m.workspace_id = \(workspace) ORDER BY m.joined_at, u.id
      """, Person.init)
  }

  func isMember(_ user: Int64, ofWorkspace workspace: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM workspace_members WHERE workspace_id = \(workspace) AND user_id = \(user)") { _ in
      true
    } ?? false
  }
}
