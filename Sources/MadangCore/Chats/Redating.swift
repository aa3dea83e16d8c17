import Storage

/// Chats with a date in the future. The clock of this machine was ahead when they were posted, or is behind now. Dates strictly increase in
/// a room, so every later chat of the room gets a later date.
package struct FutureChats: Sendable {
  package let rooms: Int
  /// The latest date, in milliseconds since 1970.
  package let latest: Int64
}

/// How many rooms and chats were corrected.
package struct RedatedChats: Sendable {
  package internal(set) var rooms = 0
  package internal(set) var chats = 0
}

extension Madang {
  /// How far in the future a chat may be dated without correction, in milliseconds. Clocks of several servers differ, and chats posted in
  /// the same millisecond get successive dates.
  package static let clockTolerance: Int64 = 60_000

  /// Nil if there are none. Scans all rooms.
  package func futureChats() async throws -> FutureChats? {
    try await database.read { [limit = clock.now + Self.clockTolerance] in try $0.futureChats(after: limit) }
  }

  /// Corrects chats that are dated in the future. The last chat of a room is dated now. The intervals between corrected chats are kept, or
  /// shortened where they would reach back to a chat with a correct date. The order is kept. Works page by page while servers run.
  package func redateFutureChats(page: Int = 500, by administrator: Administrator) async throws -> RedatedChats {
    var redated = RedatedChats()
    let now = clock.now
    var last: Int64 = 0
    while true {
      let rooms = try await database.read { [last] in
        try $0.rooms(endingAfter: now + Self.clockTolerance, from: last, limit: 100)
      }
      guard let end = rooms.last else { break }
      for room in rooms {
        var shift: RoomShift?
        var isDone = false
        while !isDone {
          let step = try await database.write(key: room) { [shift] transaction in
            try transaction.redatePage(of: room, shift, now: now, limit: page)
          }
          redated.chats += step.chats
          (shift, isDone) = (step.shift, step.isLast)
        }
        redated.rooms += 1
      }
      last = end
    }
    guard redated.rooms > 0 else { return redated }
    try await audit(
      .chatsRedated, subject: "", detail: ["rooms": "\(redated.rooms)", "chats": "\(redated.chats)"], by: administrator)
    return redated
  }
}

/// The progress of correcting one room: the chats that are still to be corrected, and by how much.
struct RoomShift: Sendable {
  /// How far dates are moved back, in milliseconds.
  let distance: Int64
  /// The last chat with a correct date.
  var seq: Int64
  var date: Int64
}
