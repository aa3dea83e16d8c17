import Storage

/// Something that was taken from or given to people, as sockets must hear of it. What ended a membership may be heard of when
/// it has begun again.
package enum Change: Hashable, Sendable {
  /// A channel is gone, and all its chats with it.
  case roomDeleted(Int64, workspace: Int64)
  /// A workspace is gone with all its rooms.
  case workspaceDeleted(Int64)
  /// An account belongs to a workspace no more, nor to any room in it.
  case membershipEnded(user: Int64, workspace: Int64)
  /// An account belongs to one workspace more.
  case membershipBegan(user: Int64)
  /// A session was ended.
  case sessionEnded(Int64)
  /// All sessions that an account had were ended, the last of them was this one; no address stands for it any more.
  case sessionsEnded(user: Int64, through: Int64)
}

extension Madang {
  /// Notes a change in the transaction that makes it, for the sockets of every server; those of this one hear of it right
  /// after the commit.
  func note(_ change: Change, in transaction: Transaction) throws {
    let number = try transaction.insertChange(change, now: clock.now)
    transaction.afterCommit { [announce] in announce(.changed(change, number)) }
  }

  /// How long changes are kept, in milliseconds: longer than a server may be without its database.
  private static let changeLifetime: Int64 = 24 * 3_600_000

  /// Forgets the changes that every server has heard of, some at a time.
  package func forgetChanges() async throws {
    let page = 500
    while try await database.write({ [before = clock.now - Self.changeLifetime] transaction in
      try transaction.execute(
        """
        DELETE FROM changes WHERE id IN
          (SELECT c.id FROM changes c WHERE c.created_at < \(before) ORDER BY c.created_at LIMIT \(page))
        """)
    }) == page {}
  }
}

/// A change as it stands in the log of changes.
package struct LoggedChange: Sendable {
  package let number: Int64
  /// Nil for a kind that a newer version has written.
  package let change: Change?

  package init(number: Int64, change: Change?) {
    self.number = number
    self.change = change
  }
}

extension Transaction {
  fileprivate func insertChange(_ change: Change, now: Int64) throws -> Int64 {
    let row = ChangeRow(change)
    return try one(
      """
      INSERT INTO changes (kind, room_id, workspace_id, user_id, session_id, created_at)
      VALUES (\(row.kind.rawValue), \(row.room), \(row.workspace), \(row.user), \(row.session), \(now)) RETURNING id
      """
    ) { try $0.get("id") }
  }

  /// Changes after one, and those of earlier numbers that are there by now, in the order of their numbers.
  func changes(after number: Int64, missing: [Int64], limit: Int) throws -> [LoggedChange] {
    try all(
      """
      SELECT id, kind, room_id, workspace_id, user_id, session_id FROM changes
      WHERE id > \(number) OR id IN (\(list: missing)) ORDER BY id LIMIT \(limit)
      """
    ) { row in LoggedChange(number: try row.get("id"), change: try ChangeRow(row)?.change) }
  }

  /// The numbers of changes that were given out last.
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

  /// Nil if a number is missing.
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
