import Storage

extension Transaction {
  /// Nil if the workspace was deleted.
  func pushPlace(workspace: Int64) throws -> PushPlace? {
    try first(
      """
      SELECT id AS workspace_id, uuid AS workspace_uuid, name FROM workspaces
      WHERE id = \(workspace) AND deleted_at IS NULL
      """
    ) {
      PushPlace(
        workspace: try $0.objectID(number: "workspace_id", uuid: "workspace_uuid"), workspaceName: try $0.get("name"))
    }
  }

  /// Clears the device in all sessions, except sessions that have registered it again since.
  func forget(_ device: PushDevice) throws {
    try execute(
      """
      UPDATE sessions SET device_token = NULL, device_hash = NULL WHERE user_id = \(device.person) AND device_token = \(device.token)
        AND COALESCE(device_token_at, created_at) <= \(device.registeredAt)
      """)
  }

  /// How many sessions are read per device that an account may have: several sessions may name the same device.
  private static let sessionsPerDevice = 10

  /// If two accounts have registered the same device, it belongs to the newer registration. This happens when two servers register it at
  /// the same moment. A one-row subquery finds its owner by the hash of the token, so tokens with equal beginnings cost no more. Earlier
  /// versions stored tokens without a hash, or a new token beside the hash of the previous one; such a device belongs to its session.
  func pushDevices(
    for chat: Chat, after person: Int64, now: Int64, people limit: Int, perPerson: Int
  ) throws -> PushDevices {
    let room = chat.room.id.number
    // The members of the room and not of its workspace, so that the cost depends on the size of the room.
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
        AND (s.device_hash IS NULL
          OR s.user_id = (SELECT o.user_id FROM sessions o WHERE o.device_hash = s.device_hash
            AND o.device_token = s.device_token AND o.refresh_expires_at > \(now)
            ORDER BY COALESCE(o.device_token_at, o.created_at) DESC, o.id DESC LIMIT 1))
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
