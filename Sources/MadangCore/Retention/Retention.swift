import Storage

extension Madang {
  /// Sets how long a workspace keeps chats and files. Throws `.notFound`, or `.invalid` for days out of range.
  package func setRetention(
    _ days: RetentionDays, of name: WorkspaceName, by administrator: Administrator
  ) async throws -> WorkspaceRecord {
    for value in [days.chats, days.files] where value.map({ !(0...RetentionDays.limit).contains($0) }) ?? false {
      throw Failure(.invalid, "days must be from 0 (for ever) to \(RetentionDays.limit)")
    }
    return try await database.write { [self] transaction in
      let workspace = try transaction.workspace(name)
      try transaction.setRetention(days, of: workspace.id.number)
      let text = { (value: Int?) in value.map { "\($0)" } ?? "as in the settings" }
      try audit(
        AuditEntry(
          kind: .retentionChanged, actor: .administrator(administrator), subject: workspace.name,
          detail: ["chatDays": text(days.chats), "fileDays": text(days.files)]), in: transaction)
      return try transaction.workspaceRecord(workspace.id.number)
    }
  }

  /// Puts a workspace on legal hold, or ends the hold. On hold nothing of it is deleted by age or by administrators, and objects that its
  /// owner deletes are only hidden. Throws `.notFound`.
  package func setHold(_ isHeld: Bool, of name: WorkspaceName, by administrator: Administrator) async throws
    -> WorkspaceRecord
  {
    try await database.write { [self, now = clock.now] transaction in
      let workspace = try transaction.workspace(name, orDeleted: true)
      if try transaction.setHold(isHeld ? now : nil, of: workspace.id.number) {
        try audit(
          AuditEntry(
            kind: isHeld ? .holdBegan : .holdEnded, actor: .administrator(administrator), subject: workspace.name,
            detail: ["number": "\(workspace.id.number)", "id": workspace.id.uuid]), in: transaction)
      }
      return try transaction.workspaceRecord(workspace.id.number)
    }
  }

  /// Deletes chats and files that are older than their workspace's retention, one page at a time, and returns how many. An interrupted call
  /// is continued by the next one. If the settings keep everything forever, only workspaces with a retention of their own are searched.
  package func deleteExpired() async throws -> (chats: Int, files: Int) {
    guard settings.retention.chatDays == 0, settings.retention.fileDays == 0 else {
      return try await deleteExpired(in: nil)
    }
    var (last, chats, files) = (Int64(0), 0, 0)
    while true {
      let workspaces = try await database.read { [last] in
        try $0.workspacesWithRetention(after: last, limit: Self.retentionPage)
      }
      for workspace in workspaces {
        let deleted = try await deleteExpired(in: workspace)
        (chats, files) = (chats + deleted.chats, files + deleted.files)
      }
      guard workspaces.count == Self.retentionPage, let end = workspaces.last else { return (chats, files) }
      last = end
    }
  }

  /// - Parameter workspace: Nil for all workspaces.
  private func deleteExpired(in workspace: Int64?) async throws -> (chats: Int, files: Int) {
    let defaults = (chats: settings.retention.chatDays, files: settings.retention.fileDays)
    var (next, chats, files): (Int64?, Int, Int) = (0, 0, 0)
    while let room = next {
      let page = try await database.read { [now = clock.now] in
        try $0.expiringRooms(after: room, in: workspace, defaults: defaults, now: now, limit: Self.retentionPage)
      }
      next = page.last
      for expiring in page.expiring {
        if let before = expiring.filesBefore {
          files += try await repeating { [self] in
            try $0.deleteFiles(
              of: expiring.room, before: before, text: settings.retention.expiredFilesText, now: clock.now,
              limit: Self.retentionPage)
          }
        }
        if let before = expiring.chatsBefore {
          chats += try await repeating { [self] in
            try $0.deleteChats(of: expiring.room, before: before, now: clock.now, limit: Self.retentionPage)
          }
        }
      }
    }
    return (chats, files)
  }

  /// Rows per transaction.
  private static let retentionPage = 200

  /// Repeats a write until it has nothing left to do, and returns the total.
  private func repeating(_ step: @escaping @Sendable (Transaction) throws -> Int) async throws -> Int {
    var total = 0
    while case let count = try await database.writeAside(step), count > 0 { total += count }
    return total
  }
}
