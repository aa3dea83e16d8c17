import Storage

extension Transaction {
  /// Returns the new chat's ids.
  nonisolated(nonsending) func insertChat(
    uuid: String, at place: ChatPlace, author: Int64, content: String, files: Int
  ) async throws -> ObjectID {
    let (room, seq) = (place.room.id.number, place.seq)
    let answer = try await pipelined(
      """
      INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
      VALUES (\(uuid), \(room), \(seq), \(author),
        COALESCE((SELECT author_ordinal FROM chats WHERE room_id = \(room) AND author_id = \(author)
          ORDER BY created_at DESC LIMIT 1), 0) + 1,
        \(content), \(files), \(place.createdAt))
      \(sql: .returningID)
      """)
    guard let row = answer.rows.first else { throw UnexpectedlyEmpty() }
    return ObjectID(number: try row.get("id"), uuid: uuid)
  }

  /// Inserts a chat into a room to which no other transaction writes. Call ``setEnd(ofRoom:seq:at:)`` after the last one.
  func insertPlantedChat(
    uuid: String, room: Int64, seq: Int64, author: Int64, ordinal: Int64, content: String, files: Int, createdAt: Int64
  ) throws -> Int64 {
    try one(
      """
      INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
      VALUES (\(uuid), \(room), \(seq), \(author), \(ordinal), \(content), \(files), \(createdAt)) \(sql: .returningID)
      """
    ) { try $0.get("id") }
  }

  func attach(_ file: Int64, to chat: Int64, at position: Int) throws {
    try execute("INSERT INTO chat_files (chat_id, position, file_id) VALUES (\(chat), \(position), \(file))")
  }

  /// The `seq` of the last chat up to a date. If there is none: of the last chat that retention deleted, or 0.
  func lastSeq(in room: Int64, notAfter date: Int64) throws -> Int64 {
    try first(
      """
      SELECT seq FROM chats WHERE room_id = \(room) AND created_at <= \(date) ORDER BY created_at DESC LIMIT 1
      """
    ) { try $0.get("seq") } ?? first("SELECT cleared_seq FROM rooms WHERE id = \(room)") { try $0.get("cleared_seq") }
      ?? 0
  }

  /// How many chats an author has in a room after a date. Costs two index probes, or three if no chat is that old.
  func chats(by author: Int64, in room: Int64, after date: Int64) throws -> Int64 {
    let ordinal = { (condition: SQL) throws -> Int64? in
      try self.first(
        """
        SELECT author_ordinal FROM chats WHERE room_id = \(room) AND author_id = \(author) \(sql: condition) LIMIT 1
        """
      ) { try $0.get("author_ordinal") }
    }
    guard let last = try ordinal("ORDER BY created_at DESC") else { return 0 }
    if let before = try ordinal("AND created_at <= \(date) ORDER BY created_at DESC") { return last - before }
    // Retention may have deleted the oldest.
    return last - (try ordinal("ORDER BY created_at") ?? last) + 1
  }

  /// One page of a room's chats after a date, oldest first, with the current profiles of their authors.
  func chats(in room: Room, after date: Int64, page: HistoryPage) throws -> History.Page {
    let end = try pageEnd(in: room.id.number, after: date, page)
    let chats = try chats(
      in: room, "c.created_at > \(date) AND c.created_at <= \(end ?? .max)", limit: page.chats)
    return (chats, end == nil && chats.count < page.chats)
  }

  /// The characters that a file counts towards a page's limit: its path contains the name of a document.
  private static let charactersPerFile = 512

  /// The date of the chat at which the page's texts and file paths reach the limit; nil if they stay below.
  private func pageEnd(in room: Int64, after date: Int64, _ page: HistoryPage) throws -> Int64? {
    let sizes: SQL = """
      SELECT created_at, length(content) + \(Self.charactersPerFile) * file_count AS size FROM chats WHERE room_id = \(room) AND created_at > \(date)
      ORDER BY created_at LIMIT \(page.chats)
      """
    // Nearly all pages stay below the limit, and a plain sum costs a third of a running sum.
    let total: Int = try one("SELECT COALESCE(SUM(size), 0) AS total FROM (\(sql: sizes)) AS page") {
      try $0.get("total")
    }
    guard total >= page.characters else { return nil }
    return try first(
      """
      SELECT created_at FROM (SELECT created_at, SUM(size) OVER (ORDER BY created_at) AS total FROM (\(sql: sizes)) AS page) AS sums
      WHERE total >= \(page.characters) ORDER BY created_at LIMIT 1
      """
    ) { try $0.get("created_at") }
  }

  /// The chats with numbers above `seq` and up to `last`, oldest first.
  func chats(in room: Room, afterSeq seq: Int64, through last: Int64) throws -> [Chat] {
    try chats(in: room, "c.seq > \(seq) AND c.seq <= \(last)", limit: Int(last - seq))
  }

  func chats(in room: Room, _ condition: SQL, limit: Int) throws -> [Chat] {
    var (firstWithFiles, lastWithFiles): (Int64?, Int64?)
    var chats = try all(
      """
      SELECT c.id AS chat_id, c.uuid AS chat_uuid, c.seq, c.content, c.file_count, c.created_at, \(sql: Person.columns)
      FROM chats c JOIN users u ON u.id = c.author_id
      WHERE c.room_id = \(room.id.number) AND \(sql: condition)
      ORDER BY c.created_at LIMIT \(limit)
      """
    ) { row in
      let (id, seq) = (try row.objectID(number: "chat_id", uuid: "chat_uuid"), try row.get("seq") as Int64)
      let (content, files) = (try row.get("content") as String, try row.get("file_count") as Int)
      let createdAt: Int64 = try row.get("created_at")
      if files > 0 { (firstWithFiles, lastWithFiles) = (firstWithFiles ?? createdAt, createdAt) }
      return Chat(
        id: id, room: room, seq: seq, author: try Person(row), content: content, files: [], createdAt: createdAt)
    }
    guard let firstWithFiles, let lastWithFiles else { return chats }
    let files = try files(in: room.id.number, from: firstWithFiles, through: lastWithFiles)
    for index in chats.indices { chats[index].files = files[chats[index].id.number] ?? [] }
    return chats
  }

  private func files(in room: Int64, from first: Int64, through last: Int64) throws -> [Int64: [String]] {
    try files("c.room_id = \(room) AND c.created_at BETWEEN \(first) AND \(last)")
  }

  /// The paths of chats' files as clients see them, in their order, by the number of the chat.
  func files(ofChats chats: [Int64]) throws -> [Int64: [String]] {
    chats.isEmpty ? [:] : try files("c.id IN (\(list: chats))")
  }

  private func files(_ condition: SQL) throws -> [Int64: [String]] {
    let rows = try all(
      """
      SELECT a.chat_id, f.path, f.name FROM chats c JOIN chat_files a ON a.chat_id = c.id JOIN files f ON f.id = a.file_id
      WHERE \(sql: condition) AND c.file_count > 0 ORDER BY a.chat_id, a.position
      """
    ) { row in
      let name = try row.get("name", as: String?.self).map(DocumentName.init(encoded:))
      return (
        chat: try row.get("chat_id") as Int64, path: FileStore.shownPath(of: try row.get("path"), named: name)
      )
    }
    return Dictionary(grouping: rows, by: \.chat).mapValues { $0.map(\.path) }
  }
}
