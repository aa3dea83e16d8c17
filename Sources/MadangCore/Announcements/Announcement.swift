import Storage

/// A chat that an administrator posts in the default channels of workspaces.
package struct Announcement: Sendable {
  package let id: Int64
  package let content: String
  /// The e-mail address of the chat's author.
  package let author: String
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// The number of channels in which it is posted altogether.
  package let rooms: Int
  /// The number of channels in which it is still to be posted; 0 once it was cancelled.
  package let waiting: Int
  package let cancelledAt: Int64?

  init(_ row: Row) throws {
    id = try row.get("id")
    content = try row.get("content")
    author = try row.get("email")
    createdAt = try row.get("created_at")
    rooms = try row.get("rooms")
    waiting = try row.get("waiting")
    cancelledAt = try row.get("cancelled_at")
  }
}

/// A channel in which an announcement is still to be posted.
struct AnnouncementRoom {
  let announcement: Int64
  let room: Int64
}

/// What an announcement would be.
package struct AnnouncementPlan: Sendable {
  /// Whose chat it would be.
  package let author: Person
  /// The name of its workspace; nil for all.
  package let workspace: String?
  /// How many workspaces would get it.
  package let workspaces: Int
}
