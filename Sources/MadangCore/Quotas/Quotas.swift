import Storage

/// Quotas of one workspace. 0 means unlimited; nil means the value in the settings.
package struct WorkspaceQuota: Equatable, Sendable {
  package let channels: Int?
  package let members: Int?
  /// Bytes of the files in its chats.
  package let fileBytes: Int?

  package init(channels: Int?, members: Int?, fileBytes: Int?) {
    (self.channels, self.members, self.fileBytes) = (channels, members, fileBytes)
  }
}

/// The usage and the quotas of a workspace.
package struct WorkspaceUsage: Sendable {
  package let workspace: Workspace
  /// Includes the default channel.
  package let channels: Int
  package let members: Int
  /// The files in its chats; files of deleted channels count until they are removed.
  package let fileBytes: Int
  /// The quotas that differ from the settings.
  package let quota: WorkspaceQuota
}

extension Madang {
  /// Sets the quotas of a workspace. Existing objects stay, even above a quota. Throws `.notFound`, or `.invalid` for a negative value.
  package func setQuota(
    _ quota: WorkspaceQuota, of name: WorkspaceName, by administrator: Administrator
  ) async throws -> WorkspaceUsage {
    for value in [quota.channels, quota.members, quota.fileBytes] where value ?? 0 < 0 {
      throw Failure(.invalid, "a quota is 0, for any number, or more")
    }
    return try await database.write { [self] transaction in
      let workspace = try transaction.lockedWorkspace(name)
      try transaction.setQuota(quota, of: workspace.id.number)
      let text = { (value: Int?) in value.map { "\($0)" } ?? "as in the settings" }
      try audit(
        AuditEntry(
          kind: .quotaChanged, actor: .administrator(administrator), subject: workspace.name,
          detail: [
            "channels": text(quota.channels), "members": text(quota.members), "fileBytes": text(quota.fileBytes),
          ]), in: transaction)
      return try transaction.usage(of: workspace)
    }
  }

  /// The usage of a workspace, deleted or not; adds up the bytes of all its files. Throws `.notFound`.
  package func usage(of name: WorkspaceName) async throws -> WorkspaceUsage {
    try await database.read { try $0.usage(of: try $0.workspace(name, orDeleted: true)) }
  }

  /// Throws `.quotaReached` if an account owns as many workspaces as allowed. Locks its row until COMMIT, so that workspaces are created
  /// one at a time.
  func requireRoom(forWorkspacesOf user: Int64, in transaction: Transaction) throws {
    let limit = settings.quotas.workspaces
    guard limit > 0 else { return }
    try transaction.lock(user: user)
    guard try !transaction.hasMoreWorkspaces(than: limit, ownedBy: user) else {
      throw Failure(.quotaReached, "an account may own \(limit) workspaces")
    }
  }

  /// Throws `.quotaReached` if a workspace has as many channels as allowed. The workspace must be locked.
  func requireRoom(forChannelsOf workspace: Int64, in transaction: Transaction) throws {
    let limit = try transaction.quota(of: workspace).channels ?? settings.quotas.channels
    guard try limit <= 0 || !transaction.hasMoreChannels(than: limit, in: workspace) else {
      throw Failure(.quotaReached, "the workspace may have \(limit) channels")
    }
  }

  /// Whether a workspace has as many members as allowed.
  func isFull(_ workspace: Int64, in transaction: Transaction) throws -> Bool {
    let limit = try transaction.quota(of: workspace).members ?? settings.quotas.members
    return try limit > 0 && transaction.hasMoreMembers(than: limit - 1, in: workspace)
  }

  /// Throws `.quotaReached` if a workspace has as many members as allowed. The workspace must be locked.
  func requireRoom(forMembersOf workspace: Int64, in transaction: Transaction) throws {
    let limit = try transaction.quota(of: workspace).members ?? settings.quotas.members
    guard try limit <= 0 || !transaction.hasMoreMembers(than: limit, in: workspace) else {
      throw Failure(.quotaReached, "the workspace may have \(limit) members")
    }
  }
}
