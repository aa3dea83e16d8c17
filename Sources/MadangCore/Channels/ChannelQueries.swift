import Storage

struct NewChannel {
  let uuid: String
  let workspace: Int64
  let name: String
  let description: String
  let cover: String?
  let owner: Int64
  let isDefault: Bool
}

extension Transaction {
  /// Returns the new channel's room; nil if the workspace has a channel with this name.
  func insertChannel(_ channel: NewChannel, now: Int64) throws -> Int64? {
    let room: Int64 = try one(
      """
      INSERT INTO rooms (uuid, workspace_id, kind, created_at)
      VALUES (\(channel.uuid), \(channel.workspace), 'channel', \(now)) \(sql: .returningID)
      """
    ) { try $0.get("id") }
    let inserted = try execute(
      """
      INSERT INTO channels (room_id, workspace_id, name, description, cover_image, owner_id, is_default)
      VALUES (\(room), \(channel.workspace), \(channel.name), \(channel.description), \(channel.cover),
        \(channel.owner), \(channel.isDefault))
      ON CONFLICT (workspace_id, name) DO NOTHING
      """)
    return inserted == 1 ? room : nil
  }

  /// Nil leaves a column unchanged. False if another channel of the workspace has the name.
  func updateChannel(_ channel: Channel, name: String?, description: String?, cover: String?) throws -> Bool {
    try execute(
      """
      UPDATE channels SET name = COALESCE(\(name), name), description = COALESCE(\(description), description),
        cover_image = COALESCE(\(cover), cover_image)
      WHERE room_id = \(channel.id.number) AND NOT EXISTS (SELECT 1 FROM channels o
        WHERE o.workspace_id = \(channel.workspace) AND o.name = \(name) AND o.room_id <> \(channel.id.number))
      """) == 1
  }

  func setOwner(_ owner: Int64, ofChannel room: Int64) throws {
    try execute("UPDATE channels SET owner_id = \(owner) WHERE room_id = \(room)")
  }

  /// Hides a channel and frees its name. ``Madang/clearDeleted(_:)`` removes its rows later.
  func deleteChannel(_ room: Int64, now: Int64) throws {
    try execute("UPDATE rooms SET deleted_at = \(now) WHERE id = \(room)")
    // No channel can be given this name: it is too long.
    try execute(
      """
      UPDATE channels SET name = (SELECT 'deleted ' || r.uuid FROM rooms r WHERE r.id = room_id)
      WHERE room_id = \(room)
      """)
  }

  func leaveChannel(_ room: Int64, user: Int64) throws {
    try execute("DELETE FROM channel_members WHERE room_id = \(room) AND user_id = \(user)")
  }

  func joinChannel(_ room: Int64, user: Int64, now: Int64) throws {
    try execute(
      """
      INSERT INTO channel_members (room_id, user_id, joined_at) VALUES (\(room), \(user), \(now))
      ON CONFLICT (room_id, user_id) DO NOTHING
      """)
  }

  func joinDefaultChannel(of workspace: Int64, user: Int64, now: Int64) throws {
    let room: Int64 = try one(
      "SELECT room_id FROM channels WHERE workspace_id = \(workspace) AND is_default = \(true)"
    ) { try $0.get("room_id") }
    try joinChannel(room, user: user, now: now)
  }

  func isMember(_ user: Int64, ofChannel room: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM channel_members WHERE room_id = \(room) AND user_id = \(user)") { _ in true }
      ?? false
  }

  /// The channel, if the person belongs to its workspace.
  func channel(_ channel: Reference, in workspace: Reference, of user: Int64) throws -> Channel {
    let found = try first(
      """
      SELECT \(sql: Channel.columns) FROM rooms r JOIN channels c ON c.room_id = r.id
      JOIN workspaces w ON w.id = r.workspace_id
      JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = \(user)
      WHERE \("r", isLiving: channel) AND \("w", isLiving: workspace)
      """, Channel.init)
    guard let found else { throw Failure(.notFound, "no such channel in a workspace of the caller") }
    return found
  }

  /// The channel, with its workspace locked until COMMIT.
  func lockedChannel(_ channel: Reference, in workspace: Reference, of user: Int64) throws -> Channel {
    _ = try lockedWorkspace(workspace, of: user)
    return try self.channel(channel, in: workspace, of: user)
  }

  func ownedChannel(_ channel: Reference, in workspace: Reference, by user: Int64) throws -> Channel {
    let channel = try lockedChannel(channel, in: workspace, of: user)
    try channel.requireOwner(user)
    return channel
  }

  /// Newest first.
  func channels(of workspace: Int64, joinedBy user: Int64? = nil, _ size: ListPageSize) throws -> Listing<Channel> {
    try listing(from: .afterAll, size) { transaction, place, limit in
      try transaction.all(Self.channels(of: workspace, joinedBy: user, before: place, limit: limit)) { row in
        let channel = try Channel(row)
        return (channel, ListPlace(time: channel.createdAt, number: channel.id.number))
      }
    }
  }

  /// Uses the index `rooms_of_channels_in_order`.
  static func channels(of workspace: Int64, joinedBy user: Int64?, before place: ListPlace, limit: Int) -> SQL {
    let joined: SQL =
      user.map { "AND EXISTS (SELECT 1 FROM channel_members j WHERE j.room_id = r.id AND j.user_id = \($0))" } ?? ""
    return """
      SELECT \(sql: Channel.columns) FROM rooms r JOIN channels c ON c.room_id = r.id
      WHERE r.workspace_id = \(workspace) AND r.kind = 'channel' AND r.deleted_at IS NULL
        AND (r.created_at, r.id) < (\(place.time), \(place.number)) \(sql: joined)
      ORDER BY r.created_at DESC, r.id DESC LIMIT \(limit)
      """
  }

  /// Finds a member of a channel by any form of the member's id.
  func member(_ user: Reference, ofChannel room: Int64) throws -> Person {
    let found = try first(
      """
      SELECT \(sql: Person.columns) FROM users u
      JOIN channel_members m ON m.user_id = u.id AND m.room_id = \(room)
      WHERE \("u", is: user)
      """, Person.init)
    guard let found else { throw Failure(.notFound, "no such member of the channel") }
    return found
  }

  /// Ordered by the time of joining, oldest first.
  func members(ofChannel room: Int64, _ size: ListPageSize) throws -> Listing<Person> {
    try listing(from: .beforeAll, size) { transaction, place, limit in
      try transaction.all(
        .members("channel_members", "m.room_id = \(room)", after: place, limit: limit), SQL.memberInPlace)
    }
  }
}
