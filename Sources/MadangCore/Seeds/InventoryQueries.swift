import Storage

extension Transaction {
  /// The room with this number, deleted or not.
  func anyRoom(_ number: Int64) throws -> Room? {
    try first("SELECT \(sql: Room.columns) FROM rooms r WHERE r.id = \(number)", Room.init)
  }

  func inventory() throws -> Inventory {
    let devices = Dictionary(
      grouping: try all(
        "SELECT user_id, device_token, edition FROM sessions WHERE device_token IS NOT NULL ORDER BY id"
      ) { row in
        (
          user: try row.get("user_id") as Int64,
          device: Planting.Device(token: try row.get("device_token"), edition: try row.get("edition"))
        )
      }, by: \.user)
    let accounts = try all("SELECT \(sql: Account.columns) FROM users u ORDER BY u.id", Account.init)
    let people = accounts.map { account in
      Inventory.Resident(account: account, devices: devices[account.person.id.number]?.map(\.device) ?? [])
    }
    let members = try members("SELECT workspace_id AS place, user_id, joined_at FROM workspace_members")
    let joined = try self.members("SELECT room_id AS place, user_id, joined_at FROM channel_members")
    let extents = try extents()
    let pairs = try pairs(extents)
    let living = try channels("r.deleted_at IS NULL")
    let deleted = try channels("r.deleted_at IS NOT NULL")
    let workspaces = try all(
      "SELECT \(sql: Workspace.columns) FROM workspaces w WHERE w.deleted_at IS NULL ORDER BY w.id", Workspace.init)
    return Inventory(
      people: people,
      workspaces: workspaces.map { workspace in
        let id = workspace.id.number
        return Inventory.WorkspaceEntry(
          workspace: workspace, members: members[id] ?? [],
          channels: (living[id] ?? []).compactMap { channel in
            extents[channel.id.number].map {
              Inventory.ChannelEntry(channel: channel, members: joined[channel.id.number] ?? [], extent: $0)
            }
          }, deletedChannels: deleted[id] ?? [], pairs: pairs[id] ?? [])
      })
  }

  private func members(_ rows: SQL) throws -> [Int64: [Inventory.Member]] {
    let found = try all("\(sql: rows) ORDER BY joined_at, user_id") { row in
      (
        place: try row.get("place") as Int64,
        member: Inventory.Member(person: try row.get("user_id"), joinedAt: try row.get("joined_at"))
      )
    }
    return Dictionary(grouping: found, by: \.place).mapValues { $0.map(\.member) }
  }

  /// By workspace; the default channel comes first.
  private func channels(_ condition: SQL) throws -> [Int64: [Channel]] {
    Dictionary(
      grouping: try all(
        """
        SELECT \(sql: Channel.columns) FROM channels c JOIN rooms r ON r.id = c.room_id
        WHERE \(sql: condition) ORDER BY c.is_default DESC, r.id
        """, Channel.init), by: \.workspace)
  }

  /// By room.
  private func extents() throws -> [Int64: Inventory.Extent] {
    let authors = Dictionary(
      grouping: try all("SELECT DISTINCT room_id, author_id FROM chats ORDER BY room_id, author_id") {
        (room: try $0.get("room_id") as Int64, author: try $0.get("author_id") as Int64)
      }, by: \.room)
    let extents = try all(
      """
      SELECT r.id, r.uuid, r.created_at, r.last_seq, (SELECT MIN(c.created_at) FROM chats c WHERE c.room_id = r.id) AS first_at
      FROM rooms r WHERE r.deleted_at IS NULL
      """
    ) { row in
      let id = try row.objectID(number: "id", uuid: "uuid")
      return Inventory.Extent(
        id: id, createdAt: try row.get("created_at"), lastSeq: try row.get("last_seq"),
        firstChatAt: try row.get("first_at"), authors: authors[id.number]?.map(\.author) ?? [])
    }
    return Dictionary(uniqueKeysWithValues: extents.map { ($0.room, $0) })
  }

  /// By workspace.
  private func pairs(_ extents: [Int64: Inventory.Extent]) throws -> [Int64: [Inventory.Pair]] {
    let rows = try all(
      "SELECT room_id, workspace_id, low_user_id, high_user_id FROM direct_messages ORDER BY room_id"
    ) { row in
      (
        workspace: try row.get("workspace_id") as Int64, room: try row.get("room_id") as Int64,
        people: (try row.get("low_user_id") as Int64, try row.get("high_user_id") as Int64)
      )
    }
    return Dictionary(grouping: rows, by: \.workspace).mapValues { rows in
      rows.compactMap { row in extents[row.room].map { Inventory.Pair(people: row.people, extent: $0) } }
    }
  }
}
