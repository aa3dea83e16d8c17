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

  /// In all rooms that were not deleted.
  func chats(writtenBy user: Int64, after number: Int64, limit: Int) throws -> [WrittenChat] {
    let chats = try all(
      """
      SELECT c.id AS chat_id, c.uuid AS chat_uuid, w.name AS workspace, n.name AS channel, c.content, c.created_at
      FROM chats c JOIN rooms r ON r.id = c.room_id JOIN workspaces w ON w.id = r.workspace_id
      LEFT JOIN channels n ON n.room_id = r.id
      WHERE c.author_id = \(user) AND c.id > \(number) AND r.deleted_at IS NULL AND w.deleted_at IS NULL
      ORDER BY c.id LIMIT \(limit)
      """
    ) { row in
      WrittenChat(
        id: try row.objectID(number: "chat_id", uuid: "chat_uuid"), workspace: try row.get("workspace"),
        channel: try row.get("channel"),
        content: try row.get("content"), files: [], createdAt: try row.get("created_at"))
    }
    let files = try files(ofChats: chats.map(\.id.number))
    return chats.map { chat in
      WrittenChat(
        id: chat.id, workspace: chat.workspace, channel: chat.channel, content: chat.content,
        files: files[chat.id.number] ?? [], createdAt: chat.createdAt)
    }
  }

  func files(uploadedBy user: Int64, after number: Int64, limit: Int) throws -> [UploadedFile] {
    try all(
      """
      SELECT id, path, media_type, size, sha256, created_at FROM files WHERE uploader_id = \(user) AND id > \(number)
      ORDER BY id LIMIT \(limit)
      """
    ) { row in
      UploadedFile(number: try row.get("id"), file: try StoredFile(row), createdAt: try row.get("created_at"))
    }
  }
}
