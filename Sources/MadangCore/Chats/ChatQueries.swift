import Storage

extension Transaction {
  /// Takes the room's next place for a chat of `user`: the room's row is the sequencer, so commit order, `seq` order
  /// and `createdAt` order are one.
  func advance(_ address: RoomAddress, as user: Int64, now: Int64) throws -> (room: Room, createdAt: Int64) {
    let found = try advance(
      """
      \(sql: address.room.isLiving("r")) AND r.kind = \(address.kind.rawValue)
        AND \(sql: isIn(address.workspace, as: user)) AND \(sql: mayPost(user, kind: address.kind))
      """, now: now)
    guard let found else { throw Failure(.notFound, "no such room, or the caller is not in it") }
    return found
  }

  /// The same for a chat of somebody who needs not to be in the room; nil if it was deleted.
  func advance(_ room: Int64, now: Int64) throws -> (room: Room, createdAt: Int64)? {
    try advance("\(sql: Reference.number(room).isLiving("r")) AND \(sql: isOfWorkspace)", now: now)
  }

  private func advance(_ condition: SQL, now: Int64) throws -> (room: Room, createdAt: Int64)? {
    try first(
      """
      UPDATE rooms AS r SET last_seq = last_seq + 1,
        last_chat_at = CASE WHEN last_chat_at >= \(now) THEN last_chat_at + 1 ELSE \(now) END
      WHERE \(sql: condition)
      RETURNING id AS room_id, uuid AS room_uuid, kind, workspace_id, last_seq, last_chat_at,
        (SELECT c.name FROM channels c WHERE c.room_id = id) AS room_name
      """
    ) { (room: try Room($0), createdAt: try $0.get("last_chat_at") as Int64) }
  }

  /// Whether a room lies in this workspace, and the person belongs to it.
  private func isIn(_ workspace: Reference, as user: Int64) -> SQL {
    """
    EXISTS (SELECT 1 FROM workspaces w JOIN workspace_members m ON m.workspace_id = w.id AND m.user_id = \(user)
      WHERE w.id = r.workspace_id AND \(sql: workspace.isLiving("w")))
    """
  }

  private func mayPost(_ user: Int64, kind: Room.Kind) -> SQL {
    switch kind {
    case .channel: "EXISTS (SELECT 1 FROM channel_members p WHERE p.room_id = r.id AND p.user_id = \(user))"
    case .dm: isPartOfDirectMessage("\(user)")
    }
  }

  private func isPartOfDirectMessage(_ user: SQL) -> SQL {
    """
    EXISTS (SELECT 1 FROM direct_messages d WHERE d.room_id = r.id
      AND (d.low_user_id = \(sql: user) OR d.high_user_id = \(sql: user)))
    """
  }

  func requirePoster(_ user: Int64, to address: RoomAddress) throws {
    let room = try room(address, readableBy: user)
    guard try room.kind == .dm || isMember(user, ofChannel: room.id.number) else {
      throw Failure(.notFound, "the caller is no member of the channel")
    }
  }

  /// The new chat's ids.
  func insertChat(
    uuid: String, in place: (room: Room, createdAt: Int64), author: Int64, content: String, files: Int
  ) throws -> ObjectID {
    let room = place.room.id.number
    let id: Int64 = try one(
      """
      INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
      VALUES (\(uuid), \(room), \(place.room.lastSeq), \(author),
        COALESCE((SELECT author_ordinal FROM chats WHERE room_id = \(room) AND author_id = \(author)
          ORDER BY created_at DESC LIMIT 1), 0) + 1,
        \(content), \(files), \(place.createdAt))
      RETURNING id
      """
    ) { try $0.get("id") }
    return ObjectID(number: id, uuid: uuid)
  }

  /// A chat of a room that nobody else writes to; ``setEnd(ofRoom:seq:at:)`` follows the last one.
  func insertPlantedChat(
    uuid: String, room: Int64, seq: Int64, author: Int64, ordinal: Int64, content: String, files: Int, createdAt: Int64
  ) throws -> Int64 {
    try one(
      """
      INSERT INTO chats (uuid, room_id, seq, author_id, author_ordinal, content, file_count, created_at)
      VALUES (\(uuid), \(room), \(seq), \(author), \(ordinal), \(content), \(files), \(createdAt)) RETURNING id
      """
    ) { try $0.get("id") }
  }

  func setEnd(ofRoom room: Int64, seq: Int64, at moment: Int64) throws {
    try execute("UPDATE rooms SET last_seq = \(seq), last_chat_at = \(moment) WHERE id = \(room)")
  }

  func attach(_ file: Int64, to chat: Int64, at position: Int) throws {
    try execute("INSERT INTO chat_files (chat_id, position, file_id) VALUES (\(chat), \(position), \(file))")
  }

  /// The room, if the person may read it and it lies in that workspace.
  func room(_ address: RoomAddress, readableBy user: Int64) throws -> Room {
    try room(
      """
      \(sql: address.room.isLiving("r")) AND r.kind = \(address.kind.rawValue)
        AND \(sql: isIn(address.workspace, as: user))
        \(sql: address.kind == .dm ? "AND \(sql: isPartOfDirectMessage("\(user)"))" : "")
      """)
  }

  func room(_ kind: Room.Kind, _ reference: Reference, readableBy user: Int64) throws -> Room {
    try room(
      """
      \(sql: reference.isLiving("r")) AND r.kind = \(kind.rawValue) AND \(sql: mayRead("\(user)"))
      """)
  }

  func room(_ kind: Room.Kind, _ reference: Reference) throws -> Room {
    try room("\(sql: reference.isLiving("r")) AND r.kind = \(kind.rawValue) AND \(sql: isOfWorkspace)")
  }

  func requireRoom(_ room: Int64) throws {
    _ = try self.room("\(sql: Reference.number(room).isLiving("r")) AND \(sql: isOfWorkspace)")
  }

  func requireReader(_ user: Int64, ofRoom room: Int64) throws {
    _ = try self.room("\(sql: Reference.number(room).isLiving("r")) AND \(sql: mayRead("\(user)"))")
  }

  /// May read a room: a channel's workspace members, a direct message's two people while they are members.
  private func mayRead(_ user: SQL) -> SQL {
    """
    \(sql: isOfWorkspace)
      AND EXISTS (SELECT 1 FROM workspace_members m WHERE m.workspace_id = r.workspace_id AND m.user_id = \(sql: user))
      AND (r.kind = 'channel' OR \(sql: isPartOfDirectMessage(user)))
    """
  }

  /// Whether a room's workspace was not deleted.
  private var isOfWorkspace: SQL {
    "EXISTS (SELECT 1 FROM workspaces w WHERE w.id = r.workspace_id AND w.deleted_at IS NULL)"
  }

  /// An account seen at an address in a time that may read the room, the latest first.
  func reader(of room: Int64, seenAt address: String, _ times: ClosedRange<Int64>) throws -> Int64? {
    try first(
      """
      SELECT a.user_id FROM recent_addresses a JOIN rooms r ON \(sql: Reference.number(room).isLiving("r"))
      JOIN users u ON u.id = a.user_id
      WHERE a.address = \(address) AND a.seen_at BETWEEN \(times.lowerBound) AND \(times.upperBound)
        AND u.disabled_at IS NULL AND \(sql: mayRead("a.user_id"))
      ORDER BY a.seen_at DESC LIMIT 1
      """
    ) { try $0.get("user_id") }
  }

  private func room(_ condition: SQL) throws -> Room {
    guard let room = try first("SELECT \(sql: Room.columns) FROM rooms r WHERE \(sql: condition)", Room.init) else {
      throw Failure(.notFound, "no such room, or the caller may not read it")
    }
    return room
  }

  /// Zero, or the last one that was deleted for its age, if none is so old.
  func lastSeq(in room: Int64, notAfter date: Int64) throws -> Int64 {
    try first(
      """
      SELECT seq FROM chats WHERE room_id = \(room) AND created_at <= \(date) ORDER BY created_at DESC LIMIT 1
      """
    ) { try $0.get("seq") } ?? first("SELECT cleared_seq FROM rooms WHERE id = \(room)") { try $0.get("cleared_seq") }
      ?? 0
  }

  /// How many chats an author has in a room after a date: two probes of one index, three where none is that old.
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
    // The first ones may have been deleted for their age.
    return last - (try ordinal("ORDER BY created_at") ?? last) + 1
  }

  /// A page of a room's chats after a date, oldest first, with their authors' present profiles.
  func chats(in room: Room, after date: Int64, page: HistoryPage) throws -> History.Page {
    let end = try pageEnd(in: room.id.number, after: date, page)
    let chats = try chats(
      in: room, "c.created_at > \(date) AND c.created_at <= \(end ?? .max)", limit: page.chats)
    return (chats, end == nil && chats.count < page.chats)
  }

  /// The date of the chat with which a page's texts are as long as they may be; nil if they never are.
  private func pageEnd(in room: Int64, after date: Int64, _ page: HistoryPage) throws -> Int64? {
    let sizes: SQL = """
      SELECT created_at, length(content) AS size FROM chats WHERE room_id = \(room) AND created_at > \(date)
      ORDER BY created_at LIMIT \(page.chats)
      """
    // Nearly all pages end before, and a sum costs a third of a running one.
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

  /// The chats after one up to another, oldest first.
  func chats(in room: Room, afterSeq seq: Int64, through last: Int64) throws -> [Chat] {
    try chats(in: room, "c.seq > \(seq) AND c.seq <= \(last)", limit: Int(last - seq))
  }

  func chats(in room: Room, _ condition: SQL, limit: Int) throws -> [Chat] {
    let rows = try all(
      """
      SELECT c.id AS chat_id, c.uuid AS chat_uuid, c.seq, c.content, c.file_count, c.created_at, \(sql: Person.columns)
      FROM chats c JOIN users u ON u.id = c.author_id
      WHERE c.room_id = \(room.id.number) AND \(sql: condition)
      ORDER BY c.created_at LIMIT \(limit)
      """
    ) { row in
      (
        id: try row.objectID("chat_"), seq: try row.get("seq") as Int64, content: try row.get("content") as String,
        files: try row.get("file_count") as Int, createdAt: try row.get("created_at") as Int64, author: try Person(row)
      )
    }
    let withFiles = rows.filter { $0.files > 0 }
    var files: [Int64: [String]] = [:]
    if let first = withFiles.first, let last = withFiles.last {
      files = try self.files(in: room.id.number, from: first.createdAt, through: last.createdAt)
    }
    return rows.map {
      Chat(
        id: $0.id, room: room, seq: $0.seq, author: $0.author, content: $0.content, files: files[$0.id.number] ?? [],
        createdAt: $0.createdAt)
    }
  }

  private func files(in room: Int64, from first: Int64, through last: Int64) throws -> [Int64: [String]] {
    try files("c.room_id = \(room) AND c.created_at BETWEEN \(first) AND \(last)")
  }

  /// Paths of the files of chats, in their order.
  func files(ofChats chats: [Int64]) throws -> [Int64: [String]] {
    chats.isEmpty ? [:] : try files("c.id IN (\(list: chats))")
  }

  private func files(_ condition: SQL) throws -> [Int64: [String]] {
    let rows = try all(
      """
      SELECT a.chat_id, f.path FROM chats c JOIN chat_files a ON a.chat_id = c.id JOIN files f ON f.id = a.file_id
      WHERE \(sql: condition) AND c.file_count > 0 ORDER BY a.chat_id, a.position
      """
    ) { (chat: try $0.get("chat_id") as Int64, path: try $0.get("path") as String) }
    return Dictionary(grouping: rows, by: \.chat).mapValues { $0.map(\.path) }
  }
}
