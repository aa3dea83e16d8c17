import Storage

extension Transaction {
  func setQuota(_ quota: WorkspaceQuota, of workspace: Int64) throws {
    try execute(
      """
      UPDATE workspaces SET channel_limit = \(quota.channels), member_limit = \(quota.members),
        file_limit = \(quota.fileBytes) WHERE id = \(workspace)
      """)
  }

  func quota(of workspace: Int64) throws -> WorkspaceQuota {
    try one(
      "SELECT channel_limit, member_limit, file_limit FROM workspaces WHERE id = \(workspace)", WorkspaceQuota.init)
  }

  /// Of a workspace as callers name it; nil if there is none.
  func quota(of workspace: Reference) throws -> (workspace: Int64, quota: WorkspaceQuota)? {
    try first(
      """
      SELECT w.id, w.channel_limit, w.member_limit, w.file_limit FROM workspaces w
      WHERE \(sql: workspace.isLiving("w"))
      """
    ) { (try $0.get("id"), try WorkspaceQuota($0)) }
  }

  /// Workspaces that an account owns, counted up to a limit, as the others.
  func workspaces(ownedBy user: Int64, upTo limit: Int) throws -> Int {
    try count("FROM workspaces WHERE owner_id = \(user) AND deleted_at IS NULL", upTo: limit)
  }

  func channels(in workspace: Int64, upTo limit: Int) throws -> Int {
    try count(
      """
      FROM channels c JOIN rooms r ON r.id = c.room_id WHERE c.workspace_id = \(workspace) AND r.deleted_at IS NULL
      """, upTo: limit)
  }

  func members(in workspace: Int64, upTo limit: Int) throws -> Int {
    try count("FROM workspace_members WHERE workspace_id = \(workspace)", upTo: limit)
  }

  private func count(_ rows: SQL, upTo limit: Int) throws -> Int {
    try one("SELECT COUNT(*) AS number FROM (SELECT 1 AS one \(sql: rows) LIMIT \(limit)) AS counted") {
      try $0.get("number")
    }
  }

  func usage(of workspace: Workspace) throws -> WorkspaceUsage {
    let id = workspace.id.number
    return WorkspaceUsage(
      workspace: workspace, channels: try channels(in: id, upTo: .max), members: try members(in: id, upTo: .max),
      fileBytes: try sumOfFileBytes(of: .workspace(id)), quota: try quota(of: id))
  }
}

extension WorkspaceQuota {
  fileprivate init(_ row: Row) throws {
    self.init(
      channels: try row.get("channel_limit"), members: try row.get("member_limit"), fileBytes: try row.get("file_limit")
    )
  }
}
