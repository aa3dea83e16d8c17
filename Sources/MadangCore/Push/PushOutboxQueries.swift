import Storage

private let addition = SQLForm(values: 1) { value in
  """
  INSERT INTO push_outbox (chat_id, claimed_until, room_id) SELECT c.id, 0, c.room_id FROM chats c
  WHERE c.id = \(value.integer(0)) AND EXISTS (SELECT 1 FROM sessions WHERE device_token IS NOT NULL)
  """
}

extension Statement<Bool> {
  /// Has the chat's devices told, if anybody has one. Answers whether.
  static func addPush(of chat: Int64) -> Statement {
    Statement(counting: addition.filled(.integer(chat))) { $0 > 0 }
  }
}

extension Transaction {
  /// Whether a chat can be claimed. A claim that ends later than any made now can is from before the database's clock was set
  /// back. Twice as late: a claim made while this statement waited is none of those.
  private static func isFree(at now: SQL) -> SQL {
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
  func waitingPushes(
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
  func claimPushes(_ chats: [Int64], at now: SQL, _ dialect: Dialect) throws -> [Int64: Int64] {
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

  /// Until when a chat is claimed now; nil if the claim was over and another process has it.
  func renewPush(_ push: ClaimedPush, at now: SQL) throws -> Int64? {
    try first(
      """
      UPDATE push_outbox SET claimed_until = \(sql: now) + \(Madang.pushClaim)
      WHERE chat_id = \(push.id) AND claimed_until = \(push.until) RETURNING claimed_until
      """
    ) { try $0.get("claimed_until") }
  }

  /// Unless another process has it by now.
  func deletePush(_ push: ClaimedPush) throws {
    try execute("DELETE FROM push_outbox WHERE chat_id = \(push.id) AND claimed_until = \(push.until)")
  }

  /// Unless another process has it by now.
  func releasePush(_ push: ClaimedPush) throws {
    try execute("UPDATE push_outbox SET claimed_until = 0 WHERE chat_id = \(push.id) AND claimed_until = \(push.until)")
  }

  /// Of the oldest chats that wait, so many, those that were posted by a time.
  func oldestPushes(postedBy time: Int64, limit: Int) throws -> [Int64] {
    try all(
      """
      SELECT p.chat_id FROM (SELECT chat_id FROM push_outbox ORDER BY chat_id LIMIT \(limit)) AS p
      JOIN chats c ON c.id = p.chat_id WHERE c.created_at <= \(time)
      """
    ) { try $0.get("chat_id") }
  }

  /// Of these chats, those that nobody has claimed; answers how many.
  func deleteFreePushes(_ chats: [Int64], at now: SQL) throws -> Int {
    try execute("DELETE FROM push_outbox WHERE chat_id IN (\(list: chats)) AND \(sql: Self.isFree(at: now))")
  }

  /// How many chats wait, counted up to a limit.
  func waitingPushes(limit: Int) throws -> Int {
    try one("SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM push_outbox LIMIT \(limit)) AS p") {
      try $0.get("number")
    }
  }

  /// A chat of a place that was not deleted.
  func chat(_ id: Int64) throws -> Chat? {
    let room = try first(
      """
      SELECT \(sql: Room.columns) FROM chats c JOIN rooms r ON r.id = c.room_id
      WHERE c.id = \(id) AND r.deleted_at IS NULL
      """, Room.init)
    return try room.flatMap { try chats(in: $0, "c.id = \(id)", limit: 1).first }
  }
}
