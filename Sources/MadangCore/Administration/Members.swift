import Storage

/// A workspace as an administrator names it.
package struct WorkspaceName: Sendable {
  package let text: String

  /// - Parameter text: Its number, its id or its name.
  package init(_ text: String) { self.text = text }
}

extension Madang {
  /// Takes an account out of a workspace and all its channels, as if it had left; its channels go to the workspace's owner. Its
  /// sockets are sent away. Throws `.notFound`, `.noSuchUser`, or `.mustHandOver` for the owner.
  package func removeMember(email: String, from name: WorkspaceName) async throws -> WorkspaceRecord {
    try await database.write { [self, now = clock.now] transaction in
      let workspace = try transaction.heldWorkspace(name)
      let person = try transaction.member(email: email, of: workspace)
      guard workspace.owner != person.id else {
        throw Failure(.mustHandOver, "\(person.email) owns '\(workspace.name)'; hand the workspace over first")
      }
      let channels = try remove(person.id.number, from: workspace, now: now, in: transaction)
      try audit(
        AuditEntry(
          kind: .memberRemoved, actor: .administrator, account: person.id.number, subject: person.email,
          detail: ["workspace": workspace.name, "channels": "\(channels)"]), in: transaction)
      return try transaction.workspaceRecord(workspace.id.number)
    }
  }

  /// Makes a member the owner of a workspace and of its default channel; the former owner stays a member. Throws `.notFound`,
  /// `.noSuchUser`.
  package func handOverWorkspace(_ name: WorkspaceName, toEmail email: String) async throws -> WorkspaceRecord {
    try await database.write { [self] transaction in
      let workspace = try transaction.heldWorkspace(name)
      let person = try transaction.member(email: email, of: workspace)
      if workspace.owner != person.id {
        try transaction.setOwner(person.id.number, ofWorkspace: workspace.id.number)
        try audit(
          AuditEntry(
            kind: .workspaceHandedOver, actor: .administrator, account: person.id.number, subject: person.email,
            detail: [
              "workspace": workspace.name, "from": try transaction.email(of: workspace.owner.number) ?? "",
            ]), in: transaction)
      }
      return try transaction.workspaceRecord(workspace.id.number)
    }
  }

  /// Ends a membership of somebody who does not own the workspace, and answers how many of its channels were theirs.
  func remove(_ user: Int64, from workspace: Workspace, now: Int64, in transaction: Transaction) throws -> Int {
    let (id, owner) = (workspace.id.number, workspace.owner.number)
    let channels = try transaction.channels(ownedBy: user, in: id)
    for channel in channels {
      try transaction.setOwner(owner, ofChannel: channel)
      try transaction.joinChannel(channel, user: owner, now: now)
    }
    try transaction.removeWorkspaceMember(user, workspace: id)
    try note(.membershipEnded(user: user, workspace: id), in: transaction)
    return channels.count
  }
}

extension Transaction {
  /// A workspace, held until COMMIT: its members and owners change one at a time.
  func heldWorkspace(_ name: WorkspaceName) throws -> Workspace {
    let workspace = try workspace(name)
    try hold(workspace: workspace.id.number)
    // It may have been deleted or handed over meanwhile.
    return try self.workspace(name)
  }

  /// Throws `.notFound`, also if several are meant.
  func workspace(_ name: WorkspaceName, orDeleted: Bool = false) throws -> Workspace {
    let text = name.text
    let isThere: SQL = orDeleted ? "1 = 1" : "w.deleted_at IS NULL"
    guard !text.utf8.contains(0) else { throw Failure(.notFound, "no workspace has this name") }
    let found = try all(
      """
      SELECT \(sql: Workspace.columns) FROM workspaces w
      WHERE \(sql: isThere) AND (w.id = \(Int64(text) ?? 0) OR w.uuid = \(text.lowercased()) OR w.name = \(text))
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

  fileprivate func member(email: String, of workspace: Workspace) throws -> Person {
    let person = try person(email: email)
    guard try isMember(person.id.number, ofWorkspace: workspace.id.number) else {
      throw Failure(.notFound, "\(person.email) is no member of '\(workspace.name)'")
    }
    return person
  }

  /// Those that were not deleted.
  fileprivate func channels(ownedBy user: Int64, in workspace: Int64) throws -> [Int64] {
    try all(
      """
      SELECT c.room_id FROM channels c JOIN rooms r ON r.id = c.room_id
      WHERE c.workspace_id = \(workspace) AND c.owner_id = \(user) AND r.deleted_at IS NULL ORDER BY c.room_id
      """
    ) { try $0.get("room_id") }
  }
}
