import Storage

extension Madang {
  /// Adds an account to a workspace and its default channel, as if the owner had invited it. Throws `.notFound`, `.noSuchUser`,
  /// `.limited` (if the account waits for its confirmation or approval), `.duplicate`, `.quotaReached`, in this order.
  package func addMember(
    email: String, to name: WorkspaceName, by administrator: Administrator
  ) async throws -> WorkspaceRecord {
    try await database.write { [self, now = clock.now] transaction in
      let workspace = try transaction.lockedWorkspace(name)
      try requireUnlimited(try transaction.userID(email: email), in: transaction)
      let person = try add(email: email, to: workspace, now: now, in: transaction)
      try audit(
        AuditEntry(
          kind: .memberAdded, actor: .administrator(administrator), account: person.id.number, subject: person.email,
          detail: ["workspace": workspace.name]), in: transaction)
      return try transaction.workspaceRecord(workspace.id.number)
    }
  }

  /// Deletes a workspace, as if its owner had deleted it. Returns it as it was before. Throws `.notFound`; `.held` if it is on legal hold.
  package func deleteWorkspace(_ name: WorkspaceName, by administrator: Administrator) async throws -> WorkspaceRecord {
    try await database.write { [self] transaction in
      let workspace = try transaction.lockedWorkspace(name)
      let record = try transaction.workspaceRecord(workspace.id.number)
      guard record.heldAt == nil else {
        throw Failure(.held, "'\(workspace.name)' is on legal hold; release it first")
      }
      try delete(workspace, in: transaction)
      try audit(
        AuditEntry(
          kind: .workspaceDeleted, actor: .administrator(administrator), subject: workspace.name,
          detail: [
            "number": "\(workspace.id.number)", "id": workspace.id.uuid, "owner": record.ownerEmail,
            "members": "\(record.members)", "chats": "\(record.chats)",
          ]), in: transaction)
      return record
    }
  }

  /// Removes an account from a workspace and all its channels, as if it had left. Channels that it owned go to the workspace's owner, and
  /// its sockets are disconnected. Throws `.notFound`, `.noSuchUser`, or `.mustHandOver` if it owns the workspace.
  package func removeMember(
    email: String, from name: WorkspaceName, by administrator: Administrator
  ) async throws -> WorkspaceRecord {
    try await database.write { [self, now = clock.now] transaction in
      let workspace = try transaction.lockedWorkspace(name)
      let person = try transaction.member(email: email, of: workspace)
      guard workspace.owner != person.id else {
        throw Failure(.mustHandOver, "\(person.email) owns '\(workspace.name)'; hand the workspace over first")
      }
      let channels = try remove(person.id.number, from: workspace, now: now, in: transaction)
      try audit(
        AuditEntry(
          kind: .memberRemoved, actor: .administrator(administrator), account: person.id.number, subject: person.email,
          detail: ["workspace": workspace.name, "channels": "\(channels)"]), in: transaction)
      return try transaction.workspaceRecord(workspace.id.number)
    }
  }

  /// Makes a member the owner of a workspace and of its default channel; the former owner stays a member. Throws `.notFound`,
  /// `.noSuchUser`.
  package func handOverWorkspace(
    _ name: WorkspaceName, toEmail email: String, by administrator: Administrator
  ) async throws -> WorkspaceRecord {
    try await database.write { [self] transaction in
      let workspace = try transaction.lockedWorkspace(name)
      let person = try transaction.member(email: email, of: workspace)
      if workspace.owner != person.id {
        try transaction.setOwner(person.id.number, ofWorkspace: workspace.id.number)
        try audit(
          AuditEntry(
            kind: .workspaceHandedOver, actor: .administrator(administrator), account: person.id.number,
            subject: person.email,
            detail: [
              "workspace": workspace.name, "from": try transaction.email(of: workspace.owner.number) ?? "",
            ]), in: transaction)
      }
      return try transaction.workspaceRecord(workspace.id.number)
    }
  }

  /// Ends the membership of an account that does not own the workspace. Returns how many channels it owned there.
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
