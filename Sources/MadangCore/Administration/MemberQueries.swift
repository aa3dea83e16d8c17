import Storage

extension Transaction {
  /// Locks a workspace until COMMIT, so that its members and owner change one at a time.
  func lockedWorkspace(_ name: WorkspaceName) throws -> Workspace {
    let workspace = try workspace(name)
    try lock(workspace: workspace.id.number)
    // The workspace may have been deleted or handed over before it was locked.
    return try self.workspace(name)
  }

  /// The same by number; nil if the workspace does not exist or was deleted.
  func lockedLivingWorkspace(_ number: Int64) throws -> Workspace? {
    guard try lock(.workspaces, where: "w.id = \(number) AND w.deleted_at IS NULL") == 1 else { return nil }
    return try first("SELECT \(sql: Workspace.columns) FROM workspaces w WHERE w.id = \(number)", Workspace.init)
  }

  /// Throws `.notFound`, also if several workspaces match.
  func workspace(_ name: WorkspaceName, orDeleted: Bool = false) throws -> Workspace {
    let text = name.text
    let isThere: SQL = orDeleted ? "1 = 1" : "w.deleted_at IS NULL"
    guard !text.hasNUL else { throw Failure(.notFound, "no workspace has this name") }
    let isNamed: SQL =
      if let number = name.number { "w.id = \(number)" } else {
        "(w.id = \(Int64(text) ?? 0) OR w.uuid = \(text.lowercased()) OR w.name = \(text))"
      }
    let found = try all(
      """
      SELECT \(sql: Workspace.columns) FROM workspaces w WHERE \(sql: isThere) AND \(sql: isNamed)
      ORDER BY w.id LIMIT 2
      """, Workspace.init)
    guard let workspace = found.first else {
      throw Failure(.notFound, "no workspace has the number, id or name '\(text)'; see 'madang admin workspaces list'")
    }
    guard found.count == 1 else {
      throw Failure(.notFound, "'\(text)' is the number of one workspace and the name of another; use its id")
    }
    return workspace
  }

  func member(email: String, of workspace: Workspace) throws -> Person {
    let person = try person(email: email)
    guard try isMember(person.id.number, ofWorkspace: workspace.id.number) else {
      throw Failure(.notFound, "\(person.email) is not a member of '\(workspace.name)'")
    }
    return person
  }

  /// Without deleted channels.
  func channels(ownedBy user: Int64, in workspace: Int64) throws -> [Int64] {
    try all(
      """
      SELECT c.room_id FROM channels c JOIN rooms r ON r.id = c.room_id
      WHERE c.workspace_id = \(workspace) AND c.owner_id = \(user) AND r.deleted_at IS NULL ORDER BY c.room_id
      """
    ) { try $0.get("room_id") }
  }
}
