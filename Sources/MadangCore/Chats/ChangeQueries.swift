import Storage

extension Transaction {
  func insertChange(_ change: Change, now: Int64) throws -> Int64 {
    let row = ChangeRow(change)
    return try one(
      """
      INSERT INTO changes (kind, room_id, workspace_id, user_id, session_id, created_at)
      VALUES (\(row.kind.rawValue), \(row.room), \(row.workspace), \(row.user), \(row.session), \(now))
      \(sql: .returningID)
      """
    ) { try $0.get("id") }
  }

  /// Changes after `number`, and the changes among `missing` that have become visible since, in the order of their numbers.
  func changes(after number: Int64, missing: [Int64], limit: Int) throws -> [LoggedChange] {
    try all(
      """
      SELECT id, kind, room_id, workspace_id, user_id, session_id FROM changes
      WHERE id > \(number) OR id IN (\(list: missing)) ORDER BY id LIMIT \(limit)
      """
    ) { row in LoggedChange(number: try row.get("id"), change: try ChangeRow(row)?.change) }
  }

  /// Deletes up to `limit` changes that are older than `time`, and returns how many.
  func deleteChanges(before time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM changes WHERE id IN
        (SELECT c.id FROM changes c WHERE c.created_at < \(time) ORDER BY c.created_at LIMIT \(limit))
      """)
  }

  /// The highest numbers of changes, highest first.
  func lastChanges(limit: Int) throws -> [Int64] {
    try all("SELECT id FROM changes ORDER BY id DESC LIMIT \(limit)") { try $0.get("id") }
  }
}

/// The columns of a change.
private struct ChangeRow {
  enum Kind: String {
    case roomDeleted, workspaceDeleted, membershipEnded, membershipBegan, sessionEnded, sessionsEnded
  }

  let kind: Kind
  var room: Int64?
  var workspace: Int64?
  var user: Int64?
  var session: Int64?

  init(_ change: Change) {
    switch change {
    case .roomDeleted(let room, let workspace): (kind, self.room, self.workspace) = (.roomDeleted, room, workspace)
    case .workspaceDeleted(let workspace): (kind, self.workspace) = (.workspaceDeleted, workspace)
    case .membershipEnded(let user, let workspace):
      (kind, self.user, self.workspace) = (.membershipEnded, user, workspace)
    case .membershipBegan(let user): (kind, self.user) = (.membershipBegan, user)
    case .sessionEnded(let session): (kind, self.session) = (.sessionEnded, session)
    case .sessionsEnded(let user, let last): (kind, self.user, session) = (.sessionsEnded, user, last)
    }
  }

  init?(_ row: Row) throws {
    guard let kind = Kind(rawValue: try row.get("kind")) else { return nil }
    self.kind = kind
    room = try row.get("room_id")
    workspace = try row.get("workspace_id")
    user = try row.get("user_id")
    session = try row.get("session_id")
  }

  /// Nil if a column that the kind needs is null.
  var change: Change? {
    switch (kind, room, workspace, user, session) {
    case (.roomDeleted, let room?, let workspace?, _, _): .roomDeleted(room, workspace: workspace)
    case (.workspaceDeleted, _, let workspace?, _, _): .workspaceDeleted(workspace)
    case (.membershipEnded, _, let workspace?, let user?, _): .membershipEnded(user: user, workspace: workspace)
    case (.membershipBegan, _, _, let user?, _): .membershipBegan(user: user)
    case (.sessionEnded, _, _, _, let session?): .sessionEnded(session)
    case (.sessionsEnded, _, _, let user?, let last?): .sessionsEnded(user: user, through: last)
    default: nil
    }
  }
}
