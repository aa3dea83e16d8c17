import Storage

extension Madang {
  /// Schedules a chat for the default channel of one workspace, or of each workspace that exists now. The channels get it one after
  /// another. The author need not be a member and may be disabled. Throws `.invalid`, `.noSuchUser`, `.notFound`.
  ///
  /// - Parameter title: Placed above the text; empty for no title.
  package func announce(
    _ text: String, title: String, from email: String, workspace name: WorkspaceName?, by administrator: Administrator
  ) async throws -> Announcement {
    let content = try announcementContent(text, title: title)
    let (id, range, workspaceName) = try await database.write { [now = clock.now] transaction in
      let author = try transaction.person(email: email)
      let workspace = try name.map { try transaction.workspace($0) }
      let range = try workspace.map { $0.id.number...$0.id.number } ?? 1...max(1, transaction.newestWorkspace())
      let id = try transaction.insertAnnouncement(content, author: author.id.number, now: now)
      return (id, range, workspace?.name ?? "")
    }
    // Added page by page, so that users' posts do not wait for a hundred thousand rows.
    var last: Int64? = range.lowerBound - 1
    do {
      while let after = last {
        last = try await database.write {
          try $0.addRooms(to: id, after: after, through: range.upperBound, limit: Self.announcementPage)
        }
      }
    } catch {
      // The operator will try again. If this one were not cancelled, a channel could get the announcement twice.
      _ = try? await cancelAnnouncement(id, by: administrator)
      throw error
    }
    let made: Announcement? = try await database.write { [self] transaction in
      let announcement = try transaction.announcement(id)
      guard announcement.rooms > 0 else {
        try transaction.deleteAnnouncement(id)
        return nil
      }
      try audit(.announcementMade, announcement, workspace: workspaceName, by: administrator, in: transaction)
      return announcement
    }
    guard let made else { throw Self.noWorkspaces }
    return made
  }

  /// What ``announce(_:title:from:workspace:by:)`` would do; changes nothing, and throws the same.
  package func planAnnouncement(
    _ text: String, title: String, from email: String, workspace name: WorkspaceName?
  ) async throws -> AnnouncementPlan {
    _ = try announcementContent(text, title: title)
    let plan = try await database.read { transaction in
      let author = try transaction.person(email: email)
      let workspace = try name.map { try transaction.workspace($0).name }
      return AnnouncementPlan(
        author: author, workspace: workspace,
        workspaces: try workspace == nil ? transaction.count(of: "workspaces WHERE deleted_at IS NULL") : 1)
    }
    guard plan.workspaces > 0 else { throw Self.noWorkspaces }
    return plan
  }

  private func announcementContent(_ text: String, title: String) throws -> String {
    let content = try TextRules.content(
      title.isEmpty ? text : "\(title)\n\n\(text)", maxLength: settings.maxContentLength)
    guard text.contains(where: { !$0.isWhitespace }) else { throw Failure(.invalid, "an announcement needs a text") }
    return content
  }

  private static var noWorkspaces: Failure { Failure(.notFound, "there are no workspaces") }

  /// Channels that one transaction adds to an announcement or removes from it.
  private static let announcementPage = 500

  /// Posts the oldest waiting announcement in one more channel, unless the channel was deleted meanwhile. False if none waits. Safe to call
  /// from several servers at once: each channel gets an announcement once.
  package func postAnnouncement() async throws -> Bool {
    guard let next = try await database.read({ try $0.nextAnnouncementRoom() }) else { return false }
    try await database.pipelinedWrite(key: next.room) { [self, now = clock.now] transaction in
      guard let (content, author) = try await transaction.take(next),
        let place = try await transaction.takePlace(inRoom: next.room, now: now)
      else { return }
      _ = try await insertChat(content, [], at: place, by: author, transaction)
    }
    return true
  }

  /// One page of announcements, ordered by number.
  package func announcements(after number: Int64, limit: Int) async throws -> [Announcement] {
    try await database.read { try $0.announcements(after: number, limit: limit) }
  }

  /// One page of announcements, the newest first. The first page counts all.
  package func announcements(before number: Int64?, limit: Int) async throws -> SearchPage<Announcement> {
    try await database.read { transaction in
      SearchPage(
        try transaction.announcements(before: number ?? .max, limit: limit + 1), limit: limit,
        total: number == nil ? try transaction.count(of: "announcements") : nil, number: \.id)
    }
  }

  /// Stops an announcement. Channels that have it keep it. Throws `.notFound` if it is not waiting to be posted.
  package func cancelAnnouncement(_ id: Int64, by administrator: Administrator) async throws -> Announcement {
    try await database.write { [self, now = clock.now] transaction in
      guard try transaction.cancelAnnouncement(id, now: now) else {
        throw Failure(.notFound, "no announcement \(id) waits to be posted; see 'madang admin announce list'")
      }
      try audit(
        .announcementCancelled, try transaction.announcement(id), workspace: "", by: administrator, in: transaction)
    }
    // If this is interrupted, the remaining rows are not posted: servers remove them one by one.
    let page = Self.announcementPage
    while try await database.write({ try $0.deleteRooms(ofCancelled: id, limit: page) }) == page {}
    return try await database.read { try $0.announcement(id) }
  }

  /// How long announcements are listed, in milliseconds.
  private static let announcementLifetime: Int64 = 90 * 24 * 3_600_000

  /// Deletes old announcements that are posted everywhere or cancelled.
  package func forgetAnnouncements() async throws {
    let (page, before) = (100, clock.now - Self.announcementLifetime)
    while try await database.write({ try $0.deleteAnnouncements(before: before, limit: page) }) == page {}
  }

  private func audit(
    _ kind: AuditKind, _ announcement: Announcement, workspace: String, by administrator: Administrator,
    in transaction: Transaction
  ) throws {
    var detail = ["announcement": "\(announcement.id)", "rooms": "\(announcement.rooms)"]
    if !workspace.isEmpty { detail["workspace"] = workspace }
    try audit(
      AuditEntry(
        kind: kind, actor: .administrator(administrator), subject: announcement.author, detail: AuditDetail(detail)),
      in: transaction)
  }
}
