import Storage

extension Transaction {
  func personID(_ reference: Reference) throws -> Int64? {
    try first("SELECT u.id FROM users u WHERE \(sql: reference.matches("u"))") { try $0.get("id") }
  }

  /// Two people in a workspace of the first, and their room if they have one.
  /// Throws `.notFound`, or `.invalid` if they are one person.
  func pair(of user: Int64, and other: Reference, in workspace: Reference) throws -> (
    workspace: Int64, other: Int64, room: DirectMessage?
  ) {
    let workspace = try self.workspace(workspace, of: user).id.number
    guard let other = try personID(other) else { throw Failure(.notFound, "no such member") }
    guard other != user else { throw Failure(.invalid, "opponent: a direct message needs somebody else") }
    return (workspace, other, try directMessage(of: user, and: other, in: workspace))
  }

  /// Rooms of `user`, each joined with the other person.
  private func rooms(of user: Int64, _ rest: SQL) -> SQL {
    """
    SELECT r.id AS room_id, r.uuid AS room_uuid, r.workspace_id, r.created_at, \(sql: Person.columns)
    FROM direct_messages d JOIN rooms r ON r.id = d.room_id
    JOIN users u ON u.id = CASE WHEN d.low_user_id = \(user) THEN d.high_user_id ELSE d.low_user_id END
    \(sql: rest)
    """
  }

  func directMessages(in workspace: Int64, of user: Int64) throws -> [DirectMessage] {
    try all(
      rooms(
        of: user,
        """
        WHERE d.workspace_id = \(workspace) AND (d.low_user_id = \(user) OR d.high_user_id = \(user))
        ORDER BY CASE WHEN r.last_seq > 0 THEN r.last_chat_at ELSE r.created_at END DESC, r.id DESC
        """), DirectMessage.init)
  }

  func directMessage(of user: Int64, and other: Int64, in workspace: Int64) throws -> DirectMessage? {
    try first(
      rooms(
        of: user,
        """
        WHERE d.workspace_id = \(workspace) AND d.low_user_id = \(min(user, other))
          AND d.high_user_id = \(max(user, other))
        """), DirectMessage.init)
  }

  func insertDirectMessage(uuid: String, workspace: Int64, of user: Int64, and other: Int64, now: Int64) throws {
    let room: Int64 = try one(
      """
      INSERT INTO rooms (uuid, workspace_id, kind, created_at) VALUES (\(uuid), \(workspace), 'dm', \(now)) RETURNING id
      """
    ) { try $0.get("id") }
    let inserted = try execute(
      """
      INSERT INTO direct_messages (room_id, workspace_id, low_user_id, high_user_id)
      VALUES (\(room), \(workspace), \(min(user, other)), \(max(user, other)))
      ON CONFLICT (workspace_id, low_user_id, high_user_id) DO NOTHING
      """)
    // Another node made the pair's room first; theirs is the one.
    if inserted == 0 { try execute("DELETE FROM rooms WHERE id = \(room)") }
  }
}
