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

  /// The quota of a workspace as callers name it; nil if it does not exist.
  func quota(of workspace: Reference) throws -> (workspace: Int64, quota: WorkspaceQuota)? {
    try first(
      """
      SELECT w.id, w.channel_limit, w.member_limit, w.file_limit FROM workspaces w
      WHERE \("w", isLiving: workspace)
      """
    ) { (try $0.get("id"), try WorkspaceQuota($0)) }
  }

  /// Whether an account owns more than `limit` workspaces. Counting stops beyond the limit.
  func hasMoreWorkspaces(than limit: Int, ownedBy user: Int64) throws -> Bool {
    try hasMore(than: limit, "FROM workspaces WHERE owner_id = \(user) AND deleted_at IS NULL")
  }

  func hasMoreChannels(than limit: Int, in workspace: Int64) throws -> Bool {
    try hasMore(than: limit, Self.channels(in: workspace))
  }

  func hasMoreMembers(than limit: Int, in workspace: Int64) throws -> Bool {
    try hasMore(than: limit, Self.members(in: workspace))
  }

  private func hasMore(than limit: Int, _ rows: SQL) throws -> Bool {
    try first("SELECT 1 AS found \(sql: rows) LIMIT 1 OFFSET \(limit)") { _ in true } ?? false
  }

  private func count(_ rows: SQL) throws -> Int {
    try one("SELECT COUNT(*) AS number \(sql: rows)") { try $0.get("number") }
  }

  private static func channels(in workspace: Int64) -> SQL {
    "FROM channels c JOIN rooms r ON r.id = c.room_id WHERE c.workspace_id = \(workspace) AND r.deleted_at IS NULL"
  }

  private static func members(in workspace: Int64) -> SQL {
    "FROM workspace_members WHERE workspace_id = \(workspace)"
  }

  func usage(of workspace: Workspace) throws -> WorkspaceUsage {
    let id = workspace.id.number
    return WorkspaceUsage(
      workspace: workspace, channels: try count(Self.channels(in: id)), members: try count(Self.members(in: id)),
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
