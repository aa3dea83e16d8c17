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
    let until = try await database.write(heedsStop: false) { [now = claimTime] in try $0.renewPush(push, at: now) }
    return until.map { ClaimedPush(id: push.id, chat: push.chat, room: push.room, until: $0, since: since) }
  }

  /// The time that claims are compared by. Development mode moves it on.
  var claimTime: SQL { "(\(sql: database.dialect.time) + \(clock.advanced))" }

  /// Nothing is left to do for this chat, if this process still has it.
  package func finish(_ push: ClaimedPush) async throws {
    try await database.write(heedsStop: false) { try $0.deletePush(push) }
  }

  /// Gives a chat back, of which nobody was told, if this process still has it.
  package func release(_ push: ClaimedPush) async throws {
    try await database.write(heedsStop: false) { try $0.releasePush(push) }
  }

  /// Gives up the oldest chats that were posted by this time and that nobody is telling. Answers how many.
  package func dropPushes(postedBy time: Int64) async throws -> Int {
    let (page, now) = (500, claimTime)
    var dropped = 0
    while true {
      let old = try await database.read { try $0.oldestPushes(postedBy: time, limit: page) }
      guard !old.isEmpty else { return dropped }
      let count = try await database.write(heedsStop: false) { try $0.deleteFreePushes(old, at: now) }
      dropped += count
      guard count == page else { return dropped }
    }
  }

  /// How many chats wait, counted up to a limit.
  package func waitingPushes(limit: Int = 10_000) async throws -> Int {
    try await database.read { try $0.waitingPushes(limit: limit) }
  }
}
