import Storage

extension Transaction {
  /// One page of chats in the search's workspace, author and dates, newest first. Texts are not compared here.
  func chats(
    _ search: ChatSearch, workspace: Int64?, author: Int64?, before last: Int64?, limit: Int
  ) throws -> [FoundChat] {
    var condition: SQL = "c.created_at >= \(search.since)"
    if let last { condition = "\(sql: condition) AND c.id < \(last)" }
    if let workspace { condition = "\(sql: condition) AND r.workspace_id = \(workspace)" }
    if let author {
      condition = "\(sql: condition) AND c.author_id = \(author) AND \(sql: Self.isWrittenIn("c.room_id", by: author))"
    }
    return try all(
      """
      SELECT c.id AS chat_id, c.uuid AS chat_uuid, w.name AS workspace, n.name AS channel, u.email, c.content, c.file_count,
        c.created_at
      FROM chats c JOIN rooms r ON r.id = c.room_id JOIN workspaces w ON w.id = r.workspace_id
      JOIN users u ON u.id = c.author_id LEFT JOIN channels n ON n.room_id = r.id
      WHERE r.deleted_at IS NULL AND w.deleted_at IS NULL AND \(sql: condition) ORDER BY c.id DESC LIMIT \(limit)
      """
    ) { row in
      FoundChat(
        id: try row.objectID(number: "chat_id", uuid: "chat_uuid"), workspace: try row.get("workspace"),
        channel: try row.get("channel"),
        author: try row.get("email"), content: try row.get("content"), files: try row.get("file_count"),
        createdAt: try row.get("created_at"))
    }
  }

  /// The number of a chat. Finding it by id scans all chats, so do not call this with an id in a write.
  func chatNumber(_ reference: Reference) throws -> Int64 {
    if case .number(let number) = reference { return number }
    let found: Int64? = try first("SELECT c.id FROM chats c WHERE \("c", is: reference)") { try $0.get("id") }
    return try Self.existing(found)
  }

  private static func existing<Found>(_ chat: Found?) throws -> Found {
    guard let chat else { throw Failure(.notFound, "there is no such chat; see 'madang admin chats find'") }
    return chat
  }

  func chatInPlace(_ number: Int64) throws -> (chat: Int64, workspace: String, author: Person) {
    let found = try Self.existing(
      first(
        """
        SELECT c.id AS chat, w.name AS workspace, w.id AS workspace_id, \(sql: Person.columns)
        FROM chats c JOIN rooms r ON r.id = c.room_id JOIN workspaces w ON w.id = r.workspace_id JOIN users u ON u.id = c.author_id
        WHERE c.id = \(number) AND r.deleted_at IS NULL AND w.deleted_at IS NULL
        """
      ) { row in
        (
          chat: try row.get("chat") as Int64, name: try row.get("workspace") as String,
          workspace: try row.get("workspace_id") as Int64, author: try Person(row)
        )
      })
    guard try mayDelete(from: found.workspace) else {
      throw Failure(.held, "'\(found.name)' is on legal hold; release it first")
    }
    return (found.chat, found.name, found.author)
  }

  /// Replaces the text and retires the files. False if both were replaced before.
  func empty(_ chat: Int64, text: String, now: Int64) throws -> Bool {
    let paths: [String] = try all(
      "SELECT f.path FROM chat_files a JOIN files f ON f.id = a.file_id WHERE a.chat_id = \(chat)"
    ) { try $0.get("path") }
    try retireFiles(paths, due: now)
    return try execute(
      """
      UPDATE chats SET content = \(text), file_count = 0 WHERE id = \(chat) AND (content <> \(text) OR file_count > 0)
      """) > 0
  }
}
