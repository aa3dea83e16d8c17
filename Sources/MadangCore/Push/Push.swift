import Storage

/// A device that is to be told of a chat.
package struct PushDevice: Sendable {
  /// As the client sent it.
  package let token: String
  /// Edition of the session that registered it, whose form of ids its app reads.
  package let edition: String
  /// Number of whom it belongs to.
  package let person: Int64
  /// When that session registered it, in milliseconds since 1970.
  package let registeredAt: Int64

  package init(token: String, edition: String, person: Int64, registeredAt: Int64) {
    (self.token, self.edition, self.person, self.registeredAt) = (token, edition, person, registeredAt)
  }
}

/// Devices of some of a room's people.
package struct PushDevices: Sendable {
  package let devices: [PushDevice]
  /// After whom the others follow; nil if these were the last.
  package let next: Int64?
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

  /// The devices of some of the people of the chat's room after a person, the author's left out. A person has one notification
  /// per device, however many sessions name it, and has no more than the setting says: the newest count.
  package func pushDevices(for chat: Chat, after person: Int64 = 0) async throws -> PushDevices {
    try await database.read { [now = clock.now, settings] transaction in
      try transaction.pushDevices(
        for: chat, after: person, now: now, people: settings.pushPage, perPerson: settings.pushDevices)
    }
  }

  /// Nobody has these devices any more: the sessions that name them forget them, but for those that have registered them since.
  package func forget(_ devices: [PushDevice]) async throws {
    try await database.write(heedsStop: false) { transaction in
      for device in devices {
        try transaction.execute(
          """
          UPDATE sessions SET device_token = NULL WHERE user_id = \(device.person) AND device_token = \(device.token)
            AND COALESCE(device_token_at, created_at) <= \(device.registeredAt)
          """)
      }
    }
  }
}

extension Transaction {
  /// How many sessions are looked at for each device that a person may have: several may name the same one.
  private static let sessionsPerDevice = 10

  fileprivate func pushDevices(
    for chat: Chat, after person: Int64, now: Int64, people limit: Int, perPerson: Int
  ) throws -> PushDevices {
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
    var (persons, last, tokens) = (0, person, Set<String>())
    let devices = try all(
      """
      SELECT p.user_id, s.device_token, s.edition, COALESCE(s.device_token_at, s.created_at) AS registered_at FROM
        (SELECT m.user_id, COALESCE(
            (SELECT n.id FROM sessions n WHERE n.user_id = m.user_id AND n.device_token IS NOT NULL
              ORDER BY n.id DESC LIMIT 1 OFFSET \(perPerson * Self.sessionsPerDevice - 1)), 0) AS oldest
          FROM (\(sql: people)) AS m
          WHERE m.user_id > \(person) AND m.user_id <> \(chat.author.id.number)
            AND EXISTS (SELECT 1 FROM workspace_members w
              WHERE w.workspace_id = \(chat.room.workspace) AND w.user_id = m.user_id)
          ORDER BY m.user_id LIMIT \(limit)) AS p
      LEFT JOIN sessions s ON s.user_id = p.user_id AND s.id >= p.oldest AND s.device_token IS NOT NULL
        AND s.refresh_expires_at > \(now)
      ORDER BY p.user_id, s.id DESC
      """
    ) { row -> PushDevice? in
      let person: Int64 = try row.get("user_id")
      if person != last { (persons, last, tokens) = (persons + 1, person, []) }
      guard let token = try row.get("device_token", as: String?.self), tokens.count < perPerson,
        tokens.insert(token).inserted
      else { return nil }
      return PushDevice(
        token: token, edition: try row.get("edition"), person: person, registeredAt: try row.get("registered_at"))
    }.compactMap(\.self)
    return PushDevices(devices: devices, next: persons == limit ? last : nil)
  }
}
