import Storage

/// A chat as an administrator finds it.
package struct FoundChat: Sendable {
  package let id: ObjectID
  package let workspace: String
  /// The channel's name; nil in direct messages.
  package let channel: String?
  package let author: String
  package let content: String
  package let files: Int
  package let createdAt: Int64
}

/// Which chats an administrator looks for.
package struct ChatSearch: Sendable {
  /// A part of the text, in capitals or not; empty for any. SQLite knows capitals of ASCII only.
  package var text = ""
  package var workspace: WorkspaceName?
  package var author: String?
  /// Milliseconds since 1970.
  package var since: Int64 = .min
  package var limit = 100

  package init() {}
}

extension Madang {
  /// Chats that fit, direct messages among them, the newest last. That somebody looked is written to the audit log, with what they
  /// looked for. Throws `.notFound` for the workspace, `.noSuchUser` for the author.
  package func findChats(_ search: ChatSearch) async throws -> [FoundChat] {
    let found = try await database.read { transaction in
      let workspace = try search.workspace.map { try transaction.workspace($0) }
      let author = try search.author.map { try transaction.person(email: $0) }
      return try transaction.chats(search, workspace: workspace?.id.number, author: author?.id.number)
    }
    try await audit(
      .chatsSearched, subject: search.text,
      detail: [
        "workspace": search.workspace?.text ?? "", "author": search.author ?? "", "found": "\(found.count)",
      ])
    return found.reversed()
  }

  /// Puts a text in the place of a chat's own and takes its files away. The chat keeps its place, its author and its date, so that
  /// unread counts and cursors of clients stay true; who has read it before keeps what they have. Throws `.notFound`, `.held`.
  ///
  /// - Parameter reference: The chat's number or id.
  package func removeChat(_ reference: Reference) async throws {
    try await database.write { [self, now = clock.now] transaction in
      let (chat, workspace, author) = try transaction.chatInPlace(reference)
      guard try transaction.empty(chat, text: settings.removedChatText, now: now) else { return }
      try audit(
        AuditEntry(
          kind: .chatRemoved, actor: .administrator, account: author.id.number, subject: author.email,
          detail: ["chat": "\(chat)", "workspace": workspace]), in: transaction)
    }
  }
}

extension Transaction {
  fileprivate func chats(_ search: ChatSearch, workspace: Int64?, author: Int64?) throws -> [FoundChat] {
    var condition: SQL = "c.created_at >= \(search.since)"
    if let workspace { condition = "\(sql: condition) AND r.workspace_id = \(workspace)" }
    if let author { condition = "\(sql: condition) AND c.author_id = \(author)" }
    if !search.text.isEmpty {
      let pattern = "%\(search.text.replacing("|", with: "||").replacing("%", with: "|%").replacing("_", with: "|_"))%"
      condition = "\(sql: condition) AND LOWER(c.content) LIKE LOWER(\(pattern)) ESCAPE '|'"
    }
    return try all(
      """
      SELECT c.id AS chat_id, c.uuid AS chat_uuid, w.name AS workspace, n.name AS channel, u.email, c.content, c.file_count,
        c.created_at
      FROM chats c JOIN rooms r ON r.id = c.room_id JOIN workspaces w ON w.id = r.workspace_id
      JOIN users u ON u.id = c.author_id LEFT JOIN channels n ON n.room_id = r.id
      WHERE r.deleted_at IS NULL AND w.deleted_at IS NULL AND \(sql: condition) ORDER BY c.id DESC LIMIT \(search.limit)
      """
    ) { row in
      FoundChat(
        id: try row.objectID("chat_"), workspace: try row.get("workspace"), channel: try row.get("channel"),
        author: try row.get("email"), content: try row.get("content"), files: try row.get("file_count"),
        createdAt: try row.get("created_at"))
    }
  }

  fileprivate func chatInPlace(_ reference: Reference) throws -> (chat: Int64, workspace: String, author: Person) {
    let found = try first(
      """
      SELECT c.id AS chat, w.name AS workspace, w.id AS workspace_id, \(sql: Person.columns)
      FROM chats c JOIN rooms r ON r.id = c.room_id JOIN workspaces w ON w.id = r.workspace_id JOIN users u ON u.id = c.author_id
      WHERE \(sql: reference.matches("c")) AND r.deleted_at IS NULL AND w.deleted_at IS NULL
      """
    ) { row in
      (
        chat: try row.get("chat") as Int64, name: try row.get("workspace") as String,
        workspace: try row.get("workspace_id") as Int64, author: try Person(row)
      )
    }
    guard let found else { throw Failure(.notFound, "there is no such chat; see 'madang admin chats find'") }
    guard try mayDelete(from: found.workspace) else {
      throw Failure(.held, "'\(found.name)' is on legal hold; release it first")
    }
    return (found.chat, found.name, found.author)
  }

  /// False if it was empty already.
  fileprivate func empty(_ chat: Int64, text: String, now: Int64) throws -> Bool {
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
