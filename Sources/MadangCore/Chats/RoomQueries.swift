import Storage

extension Transaction {
  /// Takes the next place in a room, if `user` may post there: in a channel its members, in a direct message its two people. The room's row
  /// is the sequencer, so commit order, `seq` order and `createdAt` order are the same. Throws `.notFound`.
  nonisolated(nonsending) func takePlace(in address: RoomAddress, as user: Int64, now: Int64) async throws -> ChatPlace
  {
    let place = try await takePlace(
      """
      \("r", isLiving: address.room) AND r.kind = \(address.kind.rawValue)
        AND \(sql: .isIn(address.workspace, as: user)) AND \(sql: .mayPost(user, kind: address.kind))
      """, now: now)
    guard let place else { throw Failure(.notFound, "no such room, or the caller is not in it") }
    return place
  }

  /// Takes the next place for a chat whose author need not be a member; nil if the room was deleted.
  nonisolated(nonsending) func takePlace(inRoom room: Int64, now: Int64) async throws -> ChatPlace? {
    try await takePlace("\("r", isLiving: Reference.number(room)) AND \(sql: .isOfWorkspace)", now: now)
  }

  private nonisolated(nonsending) func takePlace(_ condition: SQL, now: Int64) async throws -> ChatPlace? {
    try await pipelined(
      """
      UPDATE rooms AS r SET last_seq = last_seq + 1,
        last_chat_at = CASE WHEN last_chat_at >= \(now) THEN last_chat_at + 1 ELSE \(now) END
      WHERE \(sql: condition)
      RETURNING id AS room_id, uuid AS room_uuid, kind, workspace_id, last_seq, last_chat_at,
        (SELECT c.name FROM channels c WHERE c.room_id = id) AS room_name
      """
    ).rows.first.map { ChatPlace(room: try Room($0), createdAt: try $0.get("last_chat_at")) }
  }
}

extension SQL {
  /// Whether a room is in this workspace and the account is a member of the workspace.
  fileprivate static func isIn(_ workspace: Reference, as user: Int64) -> SQL {
    """
    EXISTS (SELECT 1 FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = \(user)
      WHERE w.id = r.workspace_id AND \("w", isLiving: workspace))
    """
  }

  fileprivate static func mayPost(_ user: Int64, kind: Room.Kind) -> SQL {
    switch kind {
    case .channel: "EXISTS (SELECT 1 FROM channel_members p WHERE p.room_id = r.id AND p.user_id = \(user))"
    case .dm: isPartOfDirectMessage("\(user)")
    }
  }

  fileprivate static func isPartOfDirectMessage(_ user: SQL) -> SQL {
    """
    EXISTS (SELECT 1 FROM direct_messages d WHERE d.room_id = r.id
      AND (d.low_user_id = \(sql: user) OR d.high_user_id = \(sql: user)))
    """
  }

  /// Whether an account may read a room: the members of the workspace read its channels, and two people read their direct messages while
  /// they are members.
  fileprivate static func mayRead(_ user: SQL) -> SQL {
    """
    \(sql: isOfWorkspace)
      AND EXISTS (SELECT 1 FROM workspace_members m WHERE m.workspace_id = r.workspace_id AND m.user_id = \(sql: user))
      AND (r.kind = 'channel' OR \(sql: isPartOfDirectMessage(user)))
    """
  }

  /// Whether a room's workspace exists.
  fileprivate static var isOfWorkspace: SQL {
    "EXISTS (SELECT 1 FROM workspaces w WHERE w.id = r.workspace_id AND w.deleted_at IS NULL)"
  }
}

extension Transaction {
  func requirePoster(_ user: Int64, to address: RoomAddress) throws {
    let room = try room(address, readableBy: user)
    guard try room.kind == .dm || isMember(user, ofChannel: room.id.number) else {
      throw Failure(.notFound, "the caller is not a member of the channel")
    }
  }

  /// Nil if there is no such room.
  func roomNumber(_ reference: Reference) throws -> Int64? {
    try first("SELECT r.id FROM rooms r WHERE \("r", isLiving: reference)") { try $0.get("id") }
  }

  func workspace(ofRoom room: Int64) throws -> Int64? {
    try first("SELECT workspace_id FROM rooms WHERE id = \(room)") { try $0.get("workspace_id") }
  }

  func setEnd(ofRoom room: Int64, seq: Int64, at moment: Int64) throws {
    try execute("UPDATE rooms SET last_seq = \(seq), last_chat_at = \(moment) WHERE id = \(room)")
  }

  /// The room, if it is in the addressed workspace and the account may read it.
  func room(_ address: RoomAddress, readableBy user: Int64) throws -> Room {
    try room(
      """
      \("r", isLiving: address.room) AND r.kind = \(address.kind.rawValue)
        AND \(sql: .isIn(address.workspace, as: user))
        \(sql: address.kind == .dm ? "AND \(sql: .isPartOfDirectMessage("\(user)"))" : "")
      """)
  }

  /// The rooms among these, by UUID, that are in the workspace and that the account may read.
  func rooms(_ uuids: [String], in workspace: Reference, readableBy user: Int64) throws -> [Room] {
    try all(
      """
      SELECT \(sql: Room.columns) FROM rooms r WHERE r.uuid IN (\(list: uuids)) AND r.deleted_at IS NULL
        AND \(sql: .isIn(workspace, as: user)) AND \(sql: .mayRead("\(user)"))
      """, Room.init)
  }

  func room(_ kind: Room.Kind, _ reference: Reference, readableBy user: Int64) throws -> Room {
    try room(
      """
      \("r", isLiving: reference) AND r.kind = \(kind.rawValue) AND \(sql: .mayRead("\(user)"))
      """)
  }

  func room(_ kind: Room.Kind, _ reference: Reference) throws -> Room {
    try room("\("r", isLiving: reference) AND r.kind = \(kind.rawValue) AND \(sql: .isOfWorkspace)")
  }

  func requireRoom(_ room: Int64) throws {
    _ = try self.room("\("r", isLiving: Reference.number(room)) AND \(sql: .isOfWorkspace)")
  }

  func requireReader(_ user: Int64, ofRoom room: Int64) throws {
    _ = try self.room("\("r", isLiving: Reference.number(room)) AND \(sql: .mayRead("\(user)"))")
  }

  /// An account that may read the room and was seen at an address in a range of time; of several, the one seen last.
  func reader(of room: Int64, seenAt address: String, _ times: ClosedRange<Int64>) throws -> Int64? {
    try first(
      """
      SELECT a.user_id FROM recent_addresses a JOIN rooms r ON \("r", isLiving: Reference.number(room))
      JOIN users u ON u.id = a.user_id
      WHERE a.address = \(address) AND a.seen_at BETWEEN \(times.lowerBound) AND \(times.upperBound)
        AND u.disabled_at IS NULL AND \(sql: .mayRead("a.user_id"))
      ORDER BY a.seen_at DESC LIMIT 1
      """
    ) { try $0.get("user_id") }
  }

  private func room(_ condition: SQL) throws -> Room {
    guard let room = try first("SELECT \(sql: Room.columns) FROM rooms r WHERE \(sql: condition)", Room.init) else {
      throw Failure(.notFound, "no such room, or the caller may not read it")
    }
    return room
  }
}
