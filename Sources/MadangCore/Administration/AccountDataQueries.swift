import Storage

extension Transaction {
  func memberships(of user: Int64, after number: Int64, limit: Int) throws -> [MembershipRecord] {
    try all(
      """
      SELECT w.id, w.name, w.owner_id, m.joined_at FROM workspace_members m JOIN workspaces w ON w.id = m.workspace_id
      WHERE m.user_id = \(user) AND w.id > \(number) AND w.deleted_at IS NULL ORDER BY w.id LIMIT \(limit)
      """
    ) { row in
      MembershipRecord(
        number: try row.get("id"), workspace: try row.get("name"), isOwner: try row.get("owner_id") == user,
        joinedAt: try row.get("joined_at"))
    }
  }

  func coinEntries(of user: Int64, after number: Int64, limit: Int) throws -> [CoinRecord] {
    try all(
      """
      SELECT id, amount, reason, created_at FROM coin_entries WHERE user_id = \(user) AND id > \(number)
      ORDER BY id LIMIT \(limit)
      """
    ) { row in
      CoinRecord(
        number: try row.get("id"), amount: try row.get("amount"), reason: try row.get("reason"),
        createdAt: try row.get("created_at"))
    }
  }

  func payments(of user: Int64, after number: Int64, limit: Int) throws -> [PaymentRecord] {
    try all(
      """
      SELECT id, imp_uid, merchant_uid, item, amount, coins, paid_at FROM payments
      WHERE user_id = \(user) AND id > \(number) ORDER BY id LIMIT \(limit)
      """
    ) { row in
      PaymentRecord(
        number: try row.get("id"), paymentID: try row.get("imp_uid"), merchantID: try row.get("merchant_uid"),
        item: try row.get("item"), amount: try row.get("amount"), coins: try row.get("coins"),
        paidAt: try row.get("paid_at"))
    }
  }

  /// One page of the account's chats, room by room, without deleted rooms. Starts after `last`.
  func chats(writtenBy user: Int64, after last: WrittenPlace?, limit: Int) throws -> [WrittenChat] {
    var (chats, place) = ([WrittenChat](), last ?? WrittenPlace(room: 0, createdAt: 0))
    while chats.count < limit {
      let next = try self.chats(writtenBy: user, in: place.room, after: place.createdAt, limit: limit - chats.count)
      chats += next
      // A room that filled the page may have more.
      guard chats.count < limit, let room = try room(writtenIn: user, after: place.room) else { break }
      place = WrittenPlace(room: room, createdAt: 0)
    }
    let files = try files(ofChats: chats.map(\.id.number))
    for index in chats.indices { chats[index].files = files[chats[index].id.number] ?? [] }
    return chats
  }

  private func chats(writtenBy user: Int64, in room: Int64, after date: Int64, limit: Int) throws -> [WrittenChat] {
    try all(
      """
      SELECT c.id AS chat_id, c.uuid AS chat_uuid, w.name AS workspace, n.name AS channel, c.content, c.created_at,
        r.uuid AS room_uuid, p.nickname AS partner
      FROM chats c JOIN rooms r ON r.id = c.room_id JOIN workspaces w ON w.id = r.workspace_id
      LEFT JOIN channels n ON n.room_id = r.id LEFT JOIN direct_messages d ON d.room_id = r.id
      LEFT JOIN users p ON p.id = d.low_user_id + d.high_user_id - \(user)
      WHERE c.room_id = \(room) AND c.author_id = \(user) AND c.created_at > \(date)
        AND r.deleted_at IS NULL AND w.deleted_at IS NULL
      ORDER BY c.created_at LIMIT \(limit)
      """
    ) { row in
      WrittenChat(
        id: try row.objectID(number: "chat_id", uuid: "chat_uuid"), room: room, workspace: try row.get("workspace"),
        channel: try row.get("channel"), roomID: try row.get("room_uuid"), partner: try row.get("partner"),
        content: try row.get("content"), files: [], createdAt: try row.get("created_at"))
    }
  }

  /// The next room in which the account has written; nil after the last.
  private func room(writtenIn user: Int64, after room: Int64) throws -> Int64? {
    try Self.roomsWrittenIn(by: user, after: room).compactMap { sql in
      try first(sql) { try $0.get("room_id") as Int64 }
    }.min()
  }

  /// Two statements that find the next room in which an account has written. One finds the account's first chat there; the other covers
  /// rooms where retention has deleted that chat.
  static func roomsWrittenIn(by user: Int64, after room: Int64) -> [SQL] {
    [
      """
      SELECT room_id FROM chats WHERE author_id = \(user) AND author_ordinal = 1 AND room_id > \(room)
      ORDER BY room_id LIMIT 1
      """,
      "SELECT room_id FROM former_authors WHERE user_id = \(user) AND room_id > \(room) ORDER BY room_id LIMIT 1",
    ]
  }

  /// The condition that an account has written in a room.
  static func isWrittenIn(_ room: SQL, by user: Int64) -> SQL {
    """
    \(sql: room) IN (SELECT room_id FROM chats WHERE author_id = \(user) AND author_ordinal = 1
      UNION SELECT room_id FROM former_authors WHERE user_id = \(user))
    """
  }

  func files(uploadedBy user: Int64, after number: Int64, limit: Int) throws -> [UploadedFile] {
    try all(
      """
      SELECT id, path, name, media_type, size, sha256, created_at FROM files WHERE uploader_id = \(user) AND id > \(number)
      ORDER BY id LIMIT \(limit)
      """
    ) { row in
      UploadedFile(number: try row.get("id"), file: try StoredFile(row), createdAt: try row.get("created_at"))
    }
  }
}
