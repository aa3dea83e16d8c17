import Storage

extension Transaction {
  /// Returns the new workspace's id; nil if the name is taken.
  func insertWorkspace(uuid: String, name: String, description: String, cover: String?, owner: Int64, now: Int64)
    throws -> Int64?
  {
    try first(
      """
      INSERT INTO workspaces (uuid, name, description, cover_image, owner_id, created_at)
      VALUES (\(uuid), \(name), \(description), \(cover), \(owner), \(now))
      ON CONFLICT (name) DO NOTHING \(sql: .returningID)
      """
    ) { try $0.get("id") }
  }

  /// False if the account is a member already.
  @discardableResult
  func insertWorkspaceMember(_ user: Int64, workspace: Int64, now: Int64) throws -> Bool {
    try execute(
      """
      INSERT INTO workspace_members (workspace_id, user_id, joined_at) VALUES (\(workspace), \(user), \(now))
      ON CONFLICT (workspace_id, user_id) DO NOTHING
      """) == 1
  }

  /// The workspace, if the account is a member of it.
  func workspace(_ reference: Reference, of user: Int64) throws -> Workspace {
    let found = try first(
      """
      SELECT \(sql: Workspace.columns) FROM workspaces w
      JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = \(user)
      WHERE \("w", isLiving: reference)
      """, Workspace.init)
    guard let found else { throw Failure(.notFound, "no such workspace, or the caller is not a member of it") }
    return found
  }

  /// Locks the workspace until COMMIT, so that its members and owner change one at a time across all processes.
  func lockedWorkspace(_ reference: Reference, of user: Int64) throws -> Workspace {
    // The condition includes membership: callers who are no members lock nothing and do not wait.
    let locked = try lock(
      .workspaces,
      where: """
        \("w", isLiving: reference)
          AND EXISTS (SELECT 1 FROM workspace_members m WHERE m.workspace_id = w.id AND m.user_id = \(user))
        """)
    guard locked == 1 else { throw Failure(.notFound, "no such workspace, or the caller is not a member of it") }
    return try workspace(reference, of: user)
  }

  func ownedWorkspace(_ reference: Reference, by user: Int64) throws -> Workspace {
    let workspace = try lockedWorkspace(reference, of: user)
    try workspace.requireOwner(user)
    return workspace
  }

  /// Nil leaves a column unchanged. False if another workspace has the name.
  func updateWorkspace(_ id: Int64, name: String?, description: String?, cover: String?) throws -> Bool {
    try execute(
      """
      UPDATE workspaces SET name = COALESCE(\(name), name), description = COALESCE(\(description), description),
        cover_image = COALESCE(\(cover), cover_image)
      WHERE id = \(id) AND NOT EXISTS (SELECT 1 FROM workspaces o WHERE o.name = \(name) AND o.id <> \(id))
      """) == 1
  }

  /// Sets the owner of the workspace and of its default channel.
  func setOwner(_ owner: Int64, ofWorkspace workspace: Int64) throws {
    try execute("UPDATE workspaces SET owner_id = \(owner) WHERE id = \(workspace)")
    try execute(
      "UPDATE channels SET owner_id = \(owner) WHERE workspace_id = \(workspace) AND is_default = \(true)")
  }

  func ownsChannel(_ user: Int64, in workspace: Int64) throws -> Bool {
    try first(
      """
      SELECT 1 AS found FROM channels c JOIN rooms r ON r.id = c.room_id
      WHERE c.workspace_id = \(workspace) AND c.owner_id = \(user) AND r.deleted_at IS NULL LIMIT 1
      """
    ) { _ in true } ?? false
  }

  func removeWorkspaceMember(_ user: Int64, workspace: Int64) throws {
    try execute(
      """
      DELETE FROM channel_members WHERE user_id = \(user)
        AND room_id IN (SELECT c.room_id FROM channels c WHERE c.workspace_id = \(workspace))
      """)
    try execute("DELETE FROM workspace_members WHERE workspace_id = \(workspace) AND user_id = \(user)")
  }

  /// Hides a workspace and its rooms, and frees its name. ``Madang/clearDeleted(_:)`` removes its rows later.
  func deleteWorkspace(_ id: Int64, now: Int64) throws {
    // No workspace can be given this name: it is too long.
    try execute("UPDATE workspaces SET deleted_at = \(now), name = 'deleted ' || uuid WHERE id = \(id)")
  }

  /// All workspaces that an account belongs to, newest first.
  func workspaces(of user: Int64) throws -> [Workspace] {
    try all(Self.workspaces(Workspace.columns, of: user), Workspace.init)
  }

  /// The workspaces of an account as a list, newest first.
  func workspaces(of user: Int64, _ size: ListPageSize) throws -> Listing<Workspace> {
    try listing(
      size, first: { try all("\(sql: Self.workspaces(Workspace.columns, of: user)) LIMIT \($0)", Workspace.init) },
      numbers: { try all(Self.workspaces("w.id", of: user)) { try $0.get("id") } },
      read: { transaction, numbers in
        try transaction.all("SELECT \(sql: Workspace.columns) FROM workspaces w WHERE w.id IN (\(list: numbers))") {
          let workspace = try Workspace($0)
          return (workspace, workspace.id.number)
        }
      })
  }

  private static func workspaces(_ columns: SQL, of user: Int64) -> SQL {
    """
    SELECT \(sql: columns) FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
    WHERE m.user_id = \(user) AND w.deleted_at IS NULL ORDER BY w.created_at DESC, w.id DESC
    """
  }

  /// Ordered by the time of joining, oldest first.
  func members(ofWorkspace workspace: Int64, _ size: ListPageSize) throws -> Listing<Person> {
    try listing(from: .beforeAll, size) { transaction, place, limit in
      try transaction.all(
        .members("workspace_members", "m.workspace_id = \(workspace)", after: place, limit: limit), SQL.memberInPlace)
    }
  }

  func member(_ user: Reference, ofWorkspace workspace: Int64) throws -> Person {
    let found = try first(
      """
      SELECT \(sql: Person.columns) FROM users u
      JOIN workspace_members m ON m.user_id = u.id AND m.workspace_id = \(workspace)
      WHERE \("u", is: user)
      """, Person.init)
    guard let found else { throw Failure(.notFound, "no such member of the workspace") }
    return found
  }

  func isMember(_ user: Int64, ofWorkspace workspace: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM workspace_members WHERE workspace_id = \(workspace) AND user_id = \(user)") { _ in
      true
    } ?? false
  }
}

extension SQL {
  /// Members of a workspace or channel; uses the indexes `workspace_members_in_order` and `channel_members_in_order`.
  static func members(_ table: SQL, _ place: SQL, after last: ListPlace, limit: Int) -> SQL {
    """
    SELECT \(sql: Person.columns), m.joined_at FROM \(sql: table) m JOIN users u ON u.id = m.user_id
    WHERE \(sql: place) AND (m.joined_at, m.user_id) > (\(last.time), \(last.number))
    ORDER BY m.joined_at, m.user_id LIMIT \(limit)
    """
  }

  static func memberInPlace(_ row: Row) throws -> (element: Person, place: ListPlace) {
    let person = try Person(row)
    return (person, ListPlace(time: try row.get("joined_at"), number: person.id.number))
  }
}
