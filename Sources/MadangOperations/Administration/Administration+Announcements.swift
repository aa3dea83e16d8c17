import MadangAPI
import MadangCore

extension Administration {
  /// Queues a chat of an account, which a server posts in the default channels of all workspaces or of one.
  /// - Parameters:
  ///   - title: A title above the text; empty for none.
  ///   - email: The e-mail of the account that posts. It need not be a member.
  public func announce(
    _ text: String, title: String, from email: String, workspace: String?
  ) async throws -> AnnouncementSummary {
    AnnouncementSummary(
      try await madang.announce(
        text, title: title, from: email, workspace: workspace.map { WorkspaceName($0) }, by: administrator))
  }

  /// What ``announce(_:title:from:workspace:)`` would do, without doing it.
  public func planAnnouncement(
    _ text: String, title: String, from email: String, workspace: String?
  ) async throws -> AnnouncementPlanSummary {
    AnnouncementPlanSummary(
      try await madang.planAnnouncement(
        text, title: title, from: email, workspace: workspace.map { WorkspaceName($0) }))
  }

  /// Announcements in the order of their numbers.
  public func announcements(after number: Int64, limit: Int) async throws -> [AnnouncementSummary] {
    try await madang.announcements(after: number, limit: limit).map(AnnouncementSummary.init)
  }

  /// Announcements, the newest first.
  /// - Parameter number: Only announcements before this one; nil for the first page.
  public func announcements(before number: Int64?, limit: Int) async throws -> SearchedPage<AnnouncementSummary> {
    SearchedPage(try await madang.announcements(before: number, limit: limit), AnnouncementSummary.init)
  }

  /// Stops the posting of an announcement.
  public func cancelAnnouncement(_ number: Int64) async throws -> AnnouncementSummary {
    AnnouncementSummary(try await madang.cancelAnnouncement(number, by: administrator))
  }
}

/// An announcement and its progress.
public struct AnnouncementSummary: Encodable, Sendable {
  public let number: Int64
  public let content: String
  /// The e-mail of the account that posts.
  public let from: String
  /// The number of channels in all.
  public let channels: Int
  /// The number of channels in which it still has to be posted.
  public let waiting: Int
  public let createdAt: String
  /// Nil if it was not cancelled.
  public let cancelledAt: String?

  init(_ announcement: Announcement) {
    (number, content, from) = (announcement.id, announcement.content, announcement.author)
    (channels, waiting) = (announcement.rooms, announcement.waiting)
    createdAt = WireDate.string(announcement.createdAt)
    cancelledAt = announcement.cancelledAt.map { WireDate.string($0) }
  }
}

/// What an announcement would be.
public struct AnnouncementPlanSummary: Encodable, Sendable {
  public struct Author: Encodable, Sendable {
    public let email: String
    public let nickname: String
  }

  /// The account whose chat it would be.
  public let from: Author
  /// The name of its workspace; nil for all.
  public let workspace: String?
  /// How many workspaces would get it.
  public let workspaces: Int

  init(_ plan: AnnouncementPlan) {
    from = Author(email: plan.author.email, nickname: plan.author.nickname)
    (workspace, workspaces) = (plan.workspace, plan.workspaces)
  }
}
