import Storage

/// A chat whose notifications only this process sends until its claim ends.
package struct ClaimedPush: Sendable {
  /// Number of the chat.
  package let id: Int64
  /// Nil if its room was deleted.
  package let chat: Chat?
  /// The room, in which later chats wait for this one.
  package let room: Int64
  /// Time of the database's clock, because the clocks of servers differ.
  package let until: Int64
  /// The earliest time at which it was claimed, by the server's steady clock.
  package let since: Int64
}

extension Madang {
  /// The length of a claim, in milliseconds.
  package static let pushClaim: Int64 = 60_000

  /// Claims the oldest waiting chat of some rooms, except rooms in which a chat is claimed already. Each must be finished with
  /// ``finish(_:)``; otherwise it becomes free when its claim ends.
  ///
  /// - Parameters:
  ///   - limit: Largest number of rooms.
  ///   - room: Rooms with a higher number come first, so that every room has its turn.
  package func claimPushes(limit: Int, after room: Int64 = -1) async throws -> [ClaimedPush] {
    // A reader searches the rooms, because posts wait for the writers.
    let waiting = try await database.read { [now = claimTime] transaction in
      let next = try transaction.waitingPushes(at: now, in: room..<Int64.max, limit: limit)
      let first = try transaction.waitingPushes(at: now, in: -1..<room, limit: limit - next.count)
      return try (next + first).map { (push: $0, chat: try transaction.chat($0.chat)) }
    }
    guard !waiting.isEmpty else { return [] }
    let since = clock.steady
    let claims = try await database.write(ignoresStop: true) { [now = claimTime, dialect = database.dialect] in
      try $0.claimPushes(waiting.map(\.push.chat), at: now, dialect)
    }
    return waiting.compactMap { push, chat in
      claims[push.chat].map { ClaimedPush(id: push.chat, chat: chat, room: push.room, until: $0, since: since) }
    }
  }

  /// Extends a claim. Nil if it has ended and another process has claimed the chat.
  package func renewPush(_ push: ClaimedPush) async throws -> ClaimedPush? {
    let since = clock.steady
    let until = try await database.write(ignoresStop: true) { [now = claimTime] in try $0.renewPush(push, at: now) }
    return until.map { ClaimedPush(id: push.id, chat: push.chat, room: push.room, until: $0, since: since) }
  }

  /// The time that claims are compared with. Development mode can advance it.
  var claimTime: SQL { "(\(sql: database.dialect.time) + \(clock.advanced))" }

  /// Deletes a chat from the queue, if this process still has the claim.
  package func finish(_ push: ClaimedPush) async throws {
    try await database.write(ignoresStop: true) { try $0.deletePush(push) }
  }

  /// Ends a claim without having sent a notification, if this process still has it.
  package func release(_ push: ClaimedPush) async throws {
    try await database.write(ignoresStop: true) { try $0.releasePush(push) }
  }

  /// Deletes the oldest unclaimed chats that were posted up to `time` from the queue. Returns how many.
  package func dropPushes(postedBy time: Int64) async throws -> Int {
    let (page, now) = (500, claimTime)
    var dropped = 0
    while true {
      let old = try await database.read { try $0.oldestPushes(postedBy: time, limit: page) }
      guard !old.isEmpty else { return dropped }
      let count = try await database.write(ignoresStop: true) { try $0.deleteFreePushes(old, at: now) }
      dropped += count
      guard count == page else { return dropped }
    }
  }

  /// How many chats wait, counted up to `limit`.
  package func waitingPushes(limit: Int = 10_000) async throws -> Int {
    try await database.read { try $0.waitingPushes(limit: limit) }
  }
}
