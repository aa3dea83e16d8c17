import Storage

/// What an administrator tells everybody: a chat in the default channels of workspaces.
package struct Announcement: Sendable {
  package let id: Int64
  package let content: String
  /// The e-mail of the account whose chat it is.
  package let author: String
  /// Milliseconds since 1970, as the other.
  package let createdAt: Int64
  /// In how many channels it is to be posted in all.
  package let rooms: Int
  /// In how many of them it is not posted yet; 0 once it was cancelled.
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

/// A channel in which an announcement waits to be posted.
struct AnnouncementRoom {
  let announcement: Int64
  let room: Int64
}
