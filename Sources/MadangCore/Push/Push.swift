import Storage

/// A device that is to be told of a chat.
package struct PushDevice: Sendable {
  /// As the client sent it.
  package let token: String
  /// Edition of the session that registered it, whose form of ids its app reads.
  package let edition: String
  let session: Int64
}

/// What a notification says of a chat's place.
package struct PushPlace: Sendable {
  package let workspace: ObjectID
  package let workspaceName: String
}

extension Madang {
  /// The workspace of a chat's room; nil if it is gone by now.
  package func pushPlace(of chat: Chat) async throws -> PushPlace? {
    try await database.read { transaction in
      try transaction.first(
        """
        SELECT id AS workspace_id, uuid AS workspace_uuid, name FROM workspaces
        WHERE id = \(chat.room.workspace) AND deleted_at IS NULL
        """
      ) { PushPlace(workspace: try $0.objectID("workspace_"), workspaceName: try $0.get("name")) }
    }
  }

  /// Some of the devices of the chat's room, the author's left out, after `previous`; empty after the last. A person has
  /// one notification per device, however many sessions name it.
  package func pushDevices(for chat: Chat, after previous: PushDevice?) async throws -> [PushDevice] {
    try await database.read { [now = clock.now, page = settings.pushPage] transaction in
      try transaction.pushDevices(for: chat, after: previous?.session ?? 0, now: now, limit: page)
    }
  }
}

extension Transaction {
  func pushDevices(for chat: Chat, after session: Int64, now: Int64, limit: Int) throws -> [PushDevice] {
    let room = chat.room.id.number
    // The people of the room, not those of its workspace: a chat costs what its room is large.
    let people: SQL =
      switch chat.room.kind {
      case .channel: "SELECT user_id FROM channel_members WHERE room_id = \(room)"
      case .dm:
        """
        SELECT low_user_id AS user_id FROM direct_messages WHERE room_id = \(room)
        UNION ALL SELECT high_user_id FROM direct_messages WHERE room_id = \(room)
        """
      }
    return try all(
      """
      SELECT s.id, s.device_token, s.edition FROM (\(sql: people)) AS p JOIN sessions s ON s.user_id = p.user_id
      WHERE s.id > \(session) AND s.user_id <> \(chat.author.id.number) AND s.device_token IS NOT NULL
        AND s.refresh_expires_at > \(now)
        AND EXISTS (SELECT 1 FROM workspace_members m
          WHERE m.workspace_id = \(chat.room.workspace) AND m.user_id = s.user_id)
        AND NOT EXISTS (SELECT 1 FROM sessions n
          WHERE n.user_id = s.user_id AND n.device_token = s.device_token AND n.id > s.id)
      ORDER BY s.id LIMIT \(limit)
      """
    ) { PushDevice(token: try $0.get("device_token"), edition: try $0.get("edition"), session: try $0.get("id")) }
  }
}
