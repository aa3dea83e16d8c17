import MadangAPI
import MadangCore

extension Administration {
  /// Has a chat of an account posted in the default channels of all workspaces, or of one, by a server of the database.
  /// - Parameters:
  ///   - title: Stands above the text; empty for none.
  ///   - email: Of the account whose chat it is. It needs not to be a member.
  public func announce(
    _ text: String, title: String, from email: String, workspace: String?
  ) async throws -> AnnouncementSummary {
    AnnouncementSummary(
      try await madang.announce(text, title: title, from: email, workspace: workspace.map { WorkspaceName($0) }))
  }

  /// Announcements in the order of their numbers.
  public func announcements(after number: Int64, limit: Int) async throws -> [AnnouncementSummary] {
    try await madang.announcements(after: number, limit: limit).map(AnnouncementSummary.init)
  }

  /// Has an announcement posted nowhere else.
  public func cancelAnnouncement(_ number: Int64) async throws -> AnnouncementSummary {
    AnnouncementSummary(try await madang.cancelAnnouncement(number))
  }
}

/// What an administrator has told everybody, and how far that is.
public struct AnnouncementSummary: Encodable, Sendable {
  public let number: Int64
  public let content: String
  /// The e-mail of the account whose chat it is.
  public let from: String
  /// In how many channels it is to be posted in all.
  public let channels: Int
  /// In how many it waits.
  public let waiting: Int
  public let createdAt: String
  /// Nil for one that was not cancelled.
  public let cancelledAt: String?

  init(_ announcement: Announcement) {
    (number, content, from) = (announcement.id, announcement.content, announcement.author)
    (channels, waiting) = (announcement.rooms, announcement.waiting)
    createdAt = WireDate.string(announcement.createdAt)
    cancelledAt = announcement.cancelledAt.map { WireDate.string($0) }
  }
}
