import Storage

extension Transaction {
  func personID(_ reference: Reference) throws -> Int64? {
    try first("SELECT u.id FROM users u WHERE \("u", is: reference)") { try $0.get("id") }
  }

  /// Two people in a workspace of the first, and their room if it exists. Throws `.notFound`, or `.invalid` if both are the same person.
  func pair(of user: Int64, and other: Reference, in workspace: Reference) throws -> (
    workspace: Int64, other: Int64, room: DirectMessage?
  ) {
    let workspace = try self.workspace(workspace, of: user).id.number
    guard let other = try personID(other) else { throw Failure(.notFound, "no such member") }
    guard other != user else { throw Failure(.invalid, "opponent: a direct message needs another person") }
    return (workspace, other, try directMessage(of: user, and: other, in: workspace))
  }

  /// Rooms, each joined with the other person.
  ///
  /// - Parameter pairs: Selects the rooms as `room_id` and their other people as `other_id`.
  private func rooms(_ pairs: SQL) -> SQL {
    """
    SELECT r.id AS room_id, r.uuid AS room_uuid, r.workspace_id, r.created_at, \(sql: Person.columns)
    FROM (\(sql: pairs)) AS d JOIN rooms r ON r.id = d.room_id JOIN users u ON u.id = d.other_id
    """
  }

  /// Ordered by the latest chat, or by creation if there is none, newest first.
  func directMessages(in workspace: Int64, of user: Int64, _ size: ListPageSize) throws -> Listing<DirectMessage> {
    // Two indexed look-ups: with OR an engine may scan the rooms of all people.
    let pairs: SQL = """
      SELECT room_id, high_user_id AS other_id FROM direct_messages
      WHERE workspace_id = \(workspace) AND low_user_id = \(user)
      UNION ALL
      SELECT room_id, low_user_id FROM direct_messages WHERE workspace_id = \(workspace) AND high_user_id = \(user)
      """
    let order: SQL = "ORDER BY CASE WHEN r.last_seq > 0 THEN r.last_chat_at ELSE r.created_at END DESC, r.id DESC"
    return try listing(
      size, first: { try all("\(sql: rooms(pairs)) \(sql: order) LIMIT \($0)", DirectMessage.init) },
      numbers: {
        try all("SELECT r.id FROM (\(sql: pairs)) AS d JOIN rooms r ON r.id = d.room_id \(sql: order)") {
          try $0.get("id")
        }
      },
      read: { transaction, numbers in
        let pairs: SQL = """
          SELECT room_id, CASE WHEN low_user_id = \(user) THEN high_user_id ELSE low_user_id END AS other_id
          FROM direct_messages WHERE room_id IN (\(list: numbers))
          """
        return try transaction.all(transaction.rooms(pairs)) {
          let room = try DirectMessage($0)
          return (room, room.id.number)
        }
      })
  }

  func directMessage(of user: Int64, and other: Int64, in workspace: Int64) throws -> DirectMessage? {
    try first(
      rooms(
        """
        SELECT room_id, CASE WHEN low_user_id = \(user) THEN high_user_id ELSE low_user_id END AS other_id
        FROM direct_messages WHERE workspace_id = \(workspace) AND low_user_id = \(min(user, other))
          AND high_user_id = \(max(user, other))
        """), DirectMessage.init)
  }

  /// Returns the new room; nil if the two have one.
  @discardableResult
  func insertDirectMessage(uuid: String, workspace: Int64, of user: Int64, and other: Int64, now: Int64) throws
    -> Int64?
  {
    let room: Int64 = try one(
      """
      INSERT INTO rooms (uuid, workspace_id, kind, created_at) VALUES (\(uuid), \(workspace), 'dm', \(now))
      \(sql: .returningID)
      """
    ) { try $0.get("id") }
    let inserted = try execute(
      """
      INSERT INTO direct_messages (room_id, workspace_id, low_user_id, high_user_id)
      VALUES (\(room), \(workspace), \(min(user, other)), \(max(user, other)))
      ON CONFLICT (workspace_id, low_user_id, high_user_id) DO NOTHING
      """)
    // Another server has created the pair's room first; that one counts.
    guard inserted == 0 else { return room }
    try execute("DELETE FROM rooms WHERE id = \(room)")
    return nil
  }
}
