import Storage

/// A chat whose devices this process tells, until then nobody else.
package struct ClaimedPush: Sendable {
  package let chat: Chat
  /// By the database's clock: those of servers differ.
  package let until: Int64
  /// When it was claimed at the earliest, by the server's steady clock.
  package let since: Int64
}

extension Madang {
  /// How long a claim holds, in milliseconds.
  package static let pushClaim: Int64 = 60_000

  /// Takes chats whose devices nobody is telling, the oldest first. Each is to be finished with ``finish(_:)``; when
  /// the claim's time is over, it is taken again.
  ///
  /// - Parameter rooms: Whose chats are left: those before them are being told.
  package func claimPushes(limit: Int, notIn rooms: Set<Int64> = []) async throws -> [ClaimedPush] {
    let since = clock.steady
    let claims = try await database.write { [now = claimTime, dialect = database.dialect] in
      try $0.claimPushes(at: now, limit: limit, notIn: rooms, dialect)
    }
    guard !claims.isEmpty else { return [] }
    return try await database.read { transaction in
      try claims.sorted { $0.chat < $1.chat }.compactMap { claim in
        try transaction.chat(claim.chat).map { ClaimedPush(chat: $0, until: claim.until, since: since) }
      }
    }
  }

  /// Claims a chat for longer. Nil if the claim was over and another process has it.
  package func renewPush(_ push: ClaimedPush) async throws -> ClaimedPush? {
    let since = clock.steady
    let until = try await database.write { [now = claimTime] transaction in
      try transaction.first(
        """
        UPDATE push_outbox SET claimed_until = \(sql: now) + \(Self.pushClaim)
        WHERE chat_id = \(push.chat.id.number) AND claimed_until = \(push.until) RETURNING claimed_until
        """
      ) { try $0.get("claimed_until", as: Int64.self) }
    }
    return until.map { ClaimedPush(chat: push.chat, until: $0, since: since) }
  }

  /// The time that claims are compared by. Development mode moves it on.
  private var claimTime: SQL { "(\(sql: database.dialect.time) + \(clock.advanced))" }

  /// Nothing is left to do for these chats, as far as this process still has them.
  package func finish(_ pushes: [ClaimedPush]) async throws {
    try await database.write { transaction in
      for push in pushes {
        try transaction.execute(
          "DELETE FROM push_outbox WHERE chat_id = \(push.chat.id.number) AND claimed_until = \(push.until)")
      }
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
      INSERT INTO push_outbox (chat_id, claimed_until)
      SELECT \(chat), 0 WHERE EXISTS (SELECT 1 FROM sessions WHERE device_token IS NOT NULL)
      """)
  }

  fileprivate func claimPushes(
    at now: SQL, limit: Int, notIn rooms: Set<Int64>, _ dialect: Dialect
  ) throws -> [(chat: Int64, until: Int64)] {
    let isElsewhere: SQL =
      rooms.isEmpty
      ? ""
      : """
      AND NOT EXISTS (SELECT 1 FROM chats c WHERE c.id = push_outbox.chat_id AND c.room_id IN (\(list: Array(rooms))))
      """
    // The posts of this batch must not wait for another server's claim.
    return try all(
      """
      UPDATE push_outbox SET claimed_until = \(sql: now) + \(Madang.pushClaim) WHERE chat_id IN
        (SELECT chat_id FROM push_outbox WHERE claimed_until <= \(sql: now) \(sql: isElsewhere)
          ORDER BY chat_id LIMIT \(limit) \(sql: dialect.skippingLocked))
      RETURNING chat_id, claimed_until
      """
    ) { (try $0.get("chat_id"), try $0.get("claimed_until")) }
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
