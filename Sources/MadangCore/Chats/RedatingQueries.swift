import Storage

extension Transaction {
  /// Nil if no room's last chat is later than `date`.
  func futureChats(after date: Int64) throws -> FutureChats? {
    let found = try one("SELECT COUNT(*) AS rooms, MAX(last_chat_at) AS latest FROM rooms WHERE last_chat_at > \(date)")
    {
      (try $0.get("rooms") as Int, try $0.get("latest", as: Int64?.self))
    }
    return found.1.map { FutureChats(rooms: found.0, latest: $0) }
  }

  /// Rooms whose last chat is later than `date`, ordered by number.
  func rooms(endingAfter date: Int64, from number: Int64, limit: Int) throws -> [Int64] {
    try all("SELECT id FROM rooms WHERE id > \(number) AND last_chat_at > \(date) ORDER BY id LIMIT \(limit)") {
      try $0.get("id")
    }
  }

  /// Corrects the dates of a page of chats of a room, oldest first. The last page also corrects the room's own date.
  /// - Parameter shift: The progress of earlier pages; nil for the first page.
  func redatePage(
    of room: Int64, _ shift: RoomShift?, now: Int64, limit: Int
  ) throws -> (shift: RoomShift?, chats: Int, isLast: Bool) {
    // Locks the room: no chat is posted until the commit.
    let end: Int64? = try first(
      "UPDATE rooms SET last_chat_at = last_chat_at WHERE id = \(room) RETURNING last_chat_at"
    ) {
      try $0.get("last_chat_at")
    }
    guard let end, shift != nil || end > now else { return (shift, 0, true) }
    var shift = try shift ?? firstShift(of: room, end: end, now: now)
    let chats = try all(
      "SELECT id, seq, created_at FROM chats WHERE room_id = \(room) AND seq > \(shift.seq) ORDER BY seq LIMIT \(limit)"
    ) { (id: try $0.get("id") as Int64, seq: try $0.get("seq") as Int64, date: try $0.get("created_at") as Int64) }
    for chat in chats {
      shift.seq = chat.seq
      shift.date = max(shift.date + 1, chat.date - shift.distance)
      try execute("UPDATE chats SET created_at = \(shift.date) WHERE id = \(chat.id)")
    }
    let isLast = chats.count < limit
    if isLast {
      // Retention may have deleted the room's last chats.
      let date = max(shift.date, end - shift.distance)
      try execute("UPDATE rooms SET last_chat_at = \(date) WHERE id = \(room)")
    }
    return (shift, chats.count, isLast)
  }

  private func firstShift(of room: Int64, end: Int64, now: Int64) throws -> RoomShift {
    let last = try first(
      """
      SELECT seq, created_at FROM chats WHERE room_id = \(room) AND created_at <= \(now)
      ORDER BY created_at DESC LIMIT 1
      """
    ) { (seq: try $0.get("seq") as Int64, date: try $0.get("created_at") as Int64) }
    return RoomShift(distance: end - now, seq: last?.seq ?? 0, date: last?.date ?? 0)
  }
}
