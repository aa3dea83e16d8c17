import Storage

extension Transaction {
  /// The workspace, deleted or not. Throws `.notFound`.
  func workspaceRecord(_ number: Int64) throws -> WorkspaceRecord {
    guard let record = try workspaceRecords("w.id = \(number)", limit: 1).first else {
      throw Failure(.notFound, "the workspace is gone")
    }
    return record
  }

  /// Of deleted workspaces, only the ones on legal hold are listed.
  static let isListed: SQL = "(w.deleted_at IS NULL OR w.held_at IS NOT NULL)"

  /// One page of listed workspaces, ordered by number.
  func workspaceRecords(after number: Int64, limit: Int) throws -> [WorkspaceRecord] {
    try workspaceRecords("w.id > \(number) AND \(sql: Self.isListed)", limit: limit)
  }

  /// Ordered by number.
  func workspaceRecords(numbers: [Int64]) throws -> [WorkspaceRecord] {
    numbers.isEmpty ? [] : try workspaceRecords("w.id IN (\(list: numbers))", limit: numbers.count)
  }

  private func workspaceRecords(_ condition: SQL, limit: Int) throws -> [WorkspaceRecord] {
    try all(
      """
      SELECT \(sql: Workspace.columns), (SELECT o.email FROM users o WHERE o.id = w.owner_id) AS owner_email,
        (SELECT COUNT(*) FROM workspace_members m WHERE m.workspace_id = w.id) AS members,
        (SELECT COUNT(*) FROM rooms r
          WHERE r.workspace_id = w.id AND r.kind = 'channel' AND r.deleted_at IS NULL) AS channels,
        (SELECT CAST(COALESCE(SUM(r.last_seq - r.cleared_seq), 0) AS BIGINT) FROM rooms r
          WHERE r.workspace_id = w.id AND r.deleted_at IS NULL) AS chats,
        w.chat_days, w.file_days, w.held_at, w.deleted_at
      FROM workspaces w WHERE \(sql: condition) ORDER BY w.id LIMIT \(limit)
      """
    ) { row in
      WorkspaceRecord(
        workspace: try Workspace(row), ownerEmail: try row.get("owner_email"), members: try row.get("members"),
        channels: try row.get("channels"), chats: try row.get("chats"),
        retention: RetentionDays(chats: try row.get("chat_days"), files: try row.get("file_days")),
        heldAt: try row.get("held_at"), deletedAt: try row.get("deleted_at"))
    }
  }
}
