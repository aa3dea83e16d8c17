import Storage

/// Chats that are dated in the future: this machine's clock was ahead when they were posted, or is behind now. Dates of a room
/// strictly increase, so all later chats of their rooms are dated after them.
package struct FutureChats: Sendable {
  package let rooms: Int
  /// The latest date, in milliseconds since 1970.
  package let latest: Int64
}

/// How many rooms and chats got other dates.
package struct RedatedChats: Sendable {
  package internal(set) var rooms = 0
  package internal(set) var chats = 0
}

extension Madang {
  /// How far in the future a chat may be dated, in milliseconds: clocks of several servers differ, and chats that are posted
  /// within a millisecond are dated one after the other.
  package static let clockTolerance: Int64 = 60_000

  /// Nil if there are none. It looks at all rooms.
  package func futureChats() async throws -> FutureChats? {
    try await database.read { [limit = clock.now + Self.clockTolerance] in try $0.futureChats(after: limit) }
  }

  /// Corrects dates of chats that lie in the future. The last chat of a room is dated now. Intervals between the corrected chats stay, or
  /// become shorter where an earlier chat has a right date. The order stays. It works on some chats at a time, while servers run.
  package func redateFutureChats(page: Int = 500) async throws -> RedatedChats {
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
      .chatsRedated, subject: "", detail: ["rooms": "\(redated.rooms)", "chats": "\(redated.chats)"])
    return redated
  }
}

/// Which chats of a room are still to be corrected, and by how much.
struct RoomShift: Sendable {
  /// By how many milliseconds dates are set back.
  let distance: Int64
  /// The last chat that has a right date.
  var seq: Int64
  var date: Int64
}
