import Storage

/// How much a workspace may have, in place of the settings: 0 for any number, nil for what the settings say.
package struct WorkspaceQuota: Equatable, Sendable {
  package let channels: Int?
  package let members: Int?
  /// Bytes of the files in its chats.
  package let fileBytes: Int?

  package init(channels: Int?, members: Int?, fileBytes: Int?) {
    (self.channels, self.members, self.fileBytes) = (channels, members, fileBytes)
  }
}

/// How much a workspace has, and may have.
package struct WorkspaceUsage: Sendable {
  package let workspace: Workspace
  /// The default channel counts, too.
  package let channels: Int
  package let members: Int
  /// In its chats; those of deleted channels until they are cleared up.
  package let fileBytes: Int
  /// Where something else counts than the settings.
  package let quota: WorkspaceQuota
}

extension Madang {
  /// Sets how much a workspace may have. What it has already stays. Throws `.notFound`, or `.invalid` for what is below 0.
  package func setQuota(_ quota: WorkspaceQuota, of name: WorkspaceName) async throws -> WorkspaceUsage {
    for value in [quota.channels, quota.members, quota.fileBytes] where value ?? 0 < 0 {
      throw Failure(.invalid, "a quota is 0, for any number, or more")
    }
    return try await database.write { [self] transaction in
      let workspace = try transaction.lockedWorkspace(name)
      try transaction.setQuota(quota, of: workspace.id.number)
      let text = { (value: Int?) in value.map { "\($0)" } ?? "as the settings say" }
      try audit(
        AuditEntry(
          kind: .quotaChanged, actor: .administrator, subject: workspace.name,
          detail: [
            "channels": text(quota.channels), "members": text(quota.members), "fileBytes": text(quota.fileBytes),
          ]), in: transaction)
      return try transaction.usage(of: workspace)
    }
  }

  /// Adds up the bytes of all files of the workspace. Throws `.notFound`.
  package func usage(of name: WorkspaceName) async throws -> WorkspaceUsage {
    try await database.read { try $0.usage(of: try $0.workspace(name)) }
  }

  /// Throws `.quotaReached` if an account owns more workspaces than it may. Its row is locked until COMMIT: they are made one at a time.
  func requireRoom(forWorkspacesOf user: Int64, in transaction: Transaction) throws {
    let limit = settings.quotas.workspaces
    guard limit > 0 else { return }
    try transaction.lock(user: user)
    guard try !transaction.hasMoreWorkspaces(than: limit, ownedBy: user) else {
      throw Failure(.quotaReached, "an account may own \(limit) workspaces")
    }
  }

  /// Throws `.quotaReached` if a workspace, which is locked, has more channels than it may.
  func requireRoom(forChannelsOf workspace: Int64, in transaction: Transaction) throws {
    let limit = try transaction.quota(of: workspace).channels ?? settings.quotas.channels
    guard try limit <= 0 || !transaction.hasMoreChannels(than: limit, in: workspace) else {
      throw Failure(.quotaReached, "the workspace may have \(limit) channels")
    }
  }

  /// Throws `.quotaReached` if a workspace, which is locked, has more members than it may.
  func requireRoom(forMembersOf workspace: Int64, in transaction: Transaction) throws {
    let limit = try transaction.quota(of: workspace).members ?? settings.quotas.members
    guard try limit <= 0 || !transaction.hasMoreMembers(than: limit, in: workspace) else {
      throw Failure(.quotaReached, "the workspace may have \(limit) members")
    }
  }
}
