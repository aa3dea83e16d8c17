import Storage

/// A chat that a search of an administrator found.
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

/// The conditions of an administrator's search for chats.
package struct ChatSearch: Sendable {
  /// Part of the text, ignoring case and Unicode composition; empty matches every chat.
  package var text = ""
  package var workspace: WorkspaceName?
  package var author: String?
  /// Milliseconds since 1970.
  package var since: Int64 = .min
  package var limit = 100

  package init() {}
}

extension Madang {
  /// Chats that match, direct messages included, oldest first; of too many the newest. The search and its conditions are written to the
  /// audit log. Throws `.notFound` for the workspace, `.noSuchUser` for the author.
  package func findChats(_ search: ChatSearch, by administrator: Administrator) async throws -> [FoundChat] {
    let (workspace, author) = try await database.read { transaction in
      (
        try search.workspace.map { try transaction.workspace($0).id.number },
        try search.author.map { try transaction.person(email: $0).id.number }
      )
    }
    // Texts are compared here because database engines differ in which letters they treat as equal.
    let text = TextRules.folded(search.text)
    let size = text.isEmpty ? search.limit : settings.searchPage
    var (found, last): ([FoundChat], Int64?) = ([], nil)
    while found.count < search.limit {
      let page = try await database.read { [last] in
        try $0.chats(search, workspace: workspace, author: author, before: last, limit: size)
      }
      let fitting = page.lazy.filter {
        text.isEmpty || TextRules.folded($0.content).utf8.firstRange(of: text.utf8) != nil
      }
      found += fitting.prefix(search.limit - found.count)
      guard page.count == size else { break }
      last = page.last?.id.number
    }
    try await audit(
      .chatsSearched, subject: search.text,
      detail: [
        "workspace": search.workspace?.text ?? "", "author": search.author ?? "", "found": "\(found.count)",
      ], by: administrator)
    return found.reversed()
  }

  /// Replaces a chat's text and removes its files. The chat keeps its position, author and date, so that unread counts and clients' cursors
  /// stay valid. Clients that have read it already keep their copy. Throws `.notFound`, `.held`.
  ///
  /// - Parameter reference: The chat's number or id.
  package func removeChat(_ reference: Reference, by administrator: Administrator) async throws {
    let number = try await database.read { try $0.chatNumber(reference) }
    try await database.write { [self, now = clock.now] transaction in
      let (chat, workspace, author) = try transaction.chatInPlace(number)
      guard try transaction.empty(chat, text: settings.retention.removedChatText, now: now) else { return }
      try audit(
        AuditEntry(
          kind: .chatRemoved, actor: .administrator(administrator), account: author.id.number, subject: author.email,
          detail: ["chat": "\(chat)", "workspace": workspace]), in: transaction)
    }
  }
}
