import Storage

extension Transaction {
  /// Queues notifications of a chat if any device is registered. Returns whether one is.
  nonisolated(nonsending) func addPush(of chat: Int64) async throws -> Bool {
    try await pipelined(
      """
      INSERT INTO push_outbox (chat_id, claimed_until, room_id) SELECT c.id, 0, c.room_id FROM chats c
      WHERE c.id = \(chat) AND EXISTS (SELECT 1 FROM sessions WHERE device_token IS NOT NULL)
      """
    ).count > 0
  }

  /// Whether a chat can be claimed. A claim that lies too far ahead was made before the database's clock was set back, so it is ignored.
  /// The factor of two excludes claims that were made while this statement waited.
  private static func isFree(at now: SQL) -> SQL {
    "(claimed_until <= \(sql: now) OR claimed_until > \(sql: now) + \(2 * Madang.pushClaim))"
  }

  /// The oldest waiting chat in the next room: one index step, however many chats wait.
  package static func waitingPush(at now: SQL, in rooms: Range<Int64>) -> SQL {
    """
    SELECT room_id, chat_id, CASE WHEN \(sql: isFree(at: now)) THEN 1 ELSE 0 END AS is_free FROM push_outbox
    WHERE room_id > \(rooms.lowerBound) AND room_id <= \(rooms.upperBound) ORDER BY room_id, chat_id LIMIT 1
    """
  }

  /// The oldest chats of rooms above the first number and up to the last, without rooms whose oldest chat is claimed.
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

  /// Claims the free ones of these chats, and returns until when.
  func claimPushes(_ chats: [Int64], at now: SQL, _ dialect: Dialect) throws -> [Int64: Int64] {
    // Posts in the same batch must not wait for another server's claim.
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

  /// Extends a claim, and returns until when; nil if it has ended and another process has claimed the chat.
  func renewPush(_ push: ClaimedPush, at now: SQL) throws -> Int64? {
    try first(
      """
      UPDATE push_outbox SET claimed_until = \(sql: now) + \(Madang.pushClaim)
      WHERE chat_id = \(push.id) AND claimed_until = \(push.until) RETURNING claimed_until
      """
    ) { try $0.get("claimed_until") }
  }

  /// Does nothing if another process has claimed the chat.
  func deletePush(_ push: ClaimedPush) throws {
    try execute("DELETE FROM push_outbox WHERE chat_id = \(push.id) AND claimed_until = \(push.until)")
  }

  /// Does nothing if another process has claimed the chat.
  func releasePush(_ push: ClaimedPush) throws {
    try execute("UPDATE push_outbox SET claimed_until = 0 WHERE chat_id = \(push.id) AND claimed_until = \(push.until)")
  }

  /// The chats that were posted up to `time`, among the `limit` oldest waiting ones.
  func oldestPushes(postedBy time: Int64, limit: Int) throws -> [Int64] {
    try all(
      """
      SELECT p.chat_id FROM (SELECT chat_id FROM push_outbox ORDER BY chat_id LIMIT \(limit)) AS p
      JOIN chats c ON c.id = p.chat_id WHERE c.created_at <= \(time)
      """
    ) { try $0.get("chat_id") }
  }

  /// Deletes the unclaimed ones of these chats, and returns how many.
  func deleteFreePushes(_ chats: [Int64], at now: SQL) throws -> Int {
    try execute("DELETE FROM push_outbox WHERE chat_id IN (\(list: chats)) AND \(sql: Self.isFree(at: now))")
  }

  /// How many chats wait, counted up to `limit`.
  func waitingPushes(limit: Int) throws -> Int {
    try one("SELECT COUNT(*) AS number FROM (SELECT 1 AS one FROM push_outbox LIMIT \(limit)) AS p") {
      try $0.get("number")
    }
  }

  /// The chat; nil if its room or workspace was deleted.
  func chat(_ id: Int64) throws -> Chat? {
    let room = try first(
      """
      SELECT \(sql: Room.columns) FROM chats c JOIN rooms r ON r.id = c.room_id
      WHERE c.id = \(id) AND r.deleted_at IS NULL
      """, Room.init)
    return try room.flatMap { try chats(in: $0, "c.id = \(id)", limit: 1).first }
  }
}
