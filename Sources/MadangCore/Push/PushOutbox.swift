import Storage

/// A chat whose devices this process tells, until then nobody else.
package struct ClaimedPush: Sendable {
  /// Number of the chat.
  package let id: Int64
  /// Nil if its room was deleted.
  package let chat: Chat?
  /// Whose chats wait behind it.
  package let room: Int64
  /// By the database's clock: those of servers differ.
  package let until: Int64
  /// When it was claimed at the earliest, by the server's steady clock.
  package let since: Int64
}

extension Madang {
  /// How long a claim holds, in milliseconds.
  package static let pushClaim: Int64 = 60_000

  /// Takes the oldest waiting chat of some rooms, of those only in which nobody is telling a chat. Each is to be finished with
  /// ``finish(_:)``; when the claim's time is over, it is taken again.
  ///
  /// - Parameters:
  ///   - limit: How many rooms at most.
  ///   - room: The rooms with a higher number come first, so that all have their turn.
  package func claimPushes(limit: Int, after room: Int64 = -1) async throws -> [ClaimedPush] {
    // Rooms are looked through by a reader: posts wait for the writers.
    let waiting = try await database.read { [now = claimTime] transaction in
      let next = try transaction.waitingPushes(at: now, in: room..<Int64.max, limit: limit)
      let first = try transaction.waitingPushes(at: now, in: -1..<room, limit: limit - next.count)
      return try (next + first).map { (push: $0, chat: try transaction.chat($0.chat)) }
    }
    guard !waiting.isEmpty else { return [] }
    let since = clock.steady
    let claims = try await database.write(heedsStop: false) { [now = claimTime, dialect = database.dialect] in
      try $0.claimPushes(waiting.map(\.push.chat), at: now, dialect)
    }
    return waiting.compactMap { push, chat in
      claims[push.chat].map { ClaimedPush(id: push.chat, chat: chat, room: push.room, until: $0, since: since) }
    }
  }

  /// Claims a chat for longer. Nil if the claim was over and another process has it.
  package func renewPush(_ push: ClaimedPush) async throws -> ClaimedPush? {
    let since = clock.steady
    let until = try await database.write(heedsStop: false) { [now = claimTime] transaction in
      try transaction.first(
        """
        UPDATE push_outbox SET claimed_until = \(sql: now) + \(Self.pushClaim)
        WHERE chat_id = \(push.id) AND claimed_until = \(push.until) RETURNING claimed_until
        """
      ) { try $0.get("claimed_until", as: Int64.self) }
    }
    return until.map { ClaimedPush(id: push.id, chat: push.chat, room: push.room, until: $0, since: since) }
  }

  /// The time that claims are compared by. Development mode moves it on.
  var claimTime: SQL { "(\(sql: database.dialect.time) + \(clock.advanced))" }

  /// Nothing is left to do for this chat, if this process still has it.
  package func finish(_ push: ClaimedPush) async throws {
    _ = try await database.write(heedsStop: false) { transaction in
      try transaction.execute("DELETE FROM push_outbox WHERE chat_id = \(push.id) AND claimed_until = \(push.until)")
    }
  }

  /// Gives a chat back, of which nobody was told, if this process still has it.
  package func release(_ push: ClaimedPush) async throws {
    _ = try await database.write(heedsStop: false) { transaction in
      try transaction.execute(
        "UPDATE push_outbox SET claimed_until = 0 WHERE chat_id = \(push.id) AND claimed_until = \(push.until)")
    }
  }

  /// Gives up the oldest chats that were posted by this time and that nobody is telling. Answers how many.
  package func dropPushes(postedBy time: Int64) async throws -> Int {
    let (page, now) = (500, claimTime)
    var dropped = 0
    while true {
      let old = try await database.read { transaction in
        try transaction.all(
          """
          SELECT p.chat_id FROM (SELECT chat_id FROM push_outbox ORDER BY chat_id LIMIT \(page)) AS p
          JOIN chats c ON c.id = p.chat_id WHERE c.created_at <= \(time)
          """
        ) { try $0.get("chat_id", as: Int64.self) }
      }
      guard !old.isEmpty else { return dropped }
      let count = try await database.write(heedsStop: false) { transaction in
        try transaction.execute(
          "DELETE FROM push_outbox WHERE chat_id IN (\(list: old)) AND \(sql: Transaction.isFree(at: now))")
      }
      dropped += count
      guard count == page else { return dropped }
    }
  }

  /// How many chats wait, counted up to a limit.
  package func waitingPushes(limit: Int = 10_000) async throws -> Int {
    try await database.read { transaction in
      try transaction.first("SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM push_outbox LIMIT \(limit)) AS p") {
        try $0.get("number")
      } ?? 0
    }
  }
}

extension Transaction {
  /// Has the chat's devices told, if anybody has one.
  func addPush(of chat: Int64) throws {
    try execute(
      """
      INSERT INTO push_outbox (chat_id, claimed_until, room_id) SELECT c.id, 0, c.room_id FROM chats c
      WHERE c.id = \(chat) AND EXISTS (SELECT 1 FROM sessions WHERE device_token IS NOT NULL)
      """)
  }

  /// Whether a chat can be claimed. A claim that ends later than any made now can is from before the database's clock was set
  /// back. Twice as late: a claim made while this statement waited is none of those.
  fileprivate static func isFree(at now: SQL) -> SQL {
    "(claimed_until <= \(sql: now) OR claimed_until > \(sql: now) + \(2 * Madang.pushClaim))"
  }

  /// The oldest chat that waits in the next room: one step in an index, however many wait.
  package static func waitingPush(at now: SQL, in rooms: Range<Int64>) -> SQL {
    """
    SELECT room_id, chat_id, CASE WHEN \(sql: isFree(at: now)) THEN 1 ELSE 0 END AS is_free FROM push_outbox
    WHERE room_id > \(rooms.lowerBound) AND room_id <= \(rooms.upperBound) ORDER BY room_id, chat_id LIMIT 1
    """
  }

  /// The oldest chats of rooms above the first number, up to the last, without rooms whose oldest one is claimed.
  fileprivate func waitingPushes(
    at now: SQL, in rooms: Range<Int64>, limit: Int
  ) throws -> [(room: Int64, chat: Int64)] {
    var (rooms, found) = (rooms, [(room: Int64, chat: Int64)]())
    while found.count < limit {
      let next = try first(Self.waitingPush(at: now, in: rooms)) { row in
        (
          room: try row.get("room_id", as: Int64.self), chat: try row.get("chat_id", as: Int64.self),
          isFree: try row.get("is_free", as: Int64.self) == 1
        )
      }
      guard let next else { break }
      if next.isFree { found.append((next.room, next.chat)) }
      rooms = next.room..<rooms.upperBound
    }
    return found
  }

  /// Until when those of the chats are claimed now that were free.
  fileprivate func claimPushes(_ chats: [Int64], at now: SQL, _ dialect: Dialect) throws -> [Int64: Int64] {
    // The posts of this batch must not wait for another server's claim.
    let claims = try all(
      """
      UPDATE push_outbox SET claimed_until = \(sql: now) + \(Madang.pushClaim) WHERE chat_id IN
        (SELECT chat_id FROM push_outbox WHERE chat_id IN (\(list: chats)) AND \(sql: Self.isFree(at: now))
          ORDER BY chat_id \(sql: dialect.skippingLocked))
      RETURNING chat_id, claimed_until
      """
    ) { (try $0.get("chat_id", as: Int64.self), try $0.get("claimed_until", as: Int64.self)) }
    return Dictionary(uniqueKeysWithValues: claims)
  }

  /// A chat of a place that was not deleted.
  fileprivate func chat(_ id: Int64) throws -> Chat? {
    let room = try first(
      """
      SELECT \(sql: Room.columns) FROM chats c JOIN rooms r ON r.id = c.room_id
      WHERE c.id = \(id) AND r.deleted_at IS NULL
      """, Room.init)
    return try room.flatMap { try chats(in: $0, "c.id = \(id)", limit: 1).first }
  }
}
