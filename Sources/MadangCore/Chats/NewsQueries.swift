import Storage

extension Transaction {
  /// Deleted rooms are left out.
  func lastSeqs(of rooms: [Int64]) throws -> [(room: Int64, seq: Int64)] {
    try all("SELECT id, last_seq FROM rooms WHERE id IN (\(list: rooms)) AND deleted_at IS NULL") {
      (room: try $0.get("id"), seq: try $0.get("last_seq"))
    }
  }

  func rooms(_ positions: [Int64: RoomPosition], _ size: NewsPage) throws -> [RoomNews] {
    let asked = Array(positions)
    var (news, count) = ([RoomNews](), 0)
    for start in stride(from: 0, to: asked.count, by: size.rooms) {
      for (room, last, asked) in try moved(asked[start..<min(start + size.rooms, asked.count)]) {
        let after = try lastShared(asked, last, in: room)
        let end = count < size.allChats ? min(room.lastSeq, after + Int64(size.chats)) : after
        let chats = end > after ? try chats(in: room, afterSeq: after, through: end) : []
        count += chats.count
        news.append(
          RoomNews(
            room: room.id.number, asked: asked, after: after, chats: chats, through: end,
            last: end == room.lastSeq ? last : chats.last?.mark, hasMore: end < room.lastSeq))
      }
    }
    return news
  }

  /// The rooms whose newest chat differs from the last delivered one, and the rooms with a hold, each with its newest chat. Deleted rooms
  /// are included: their last chats are still delivered.
  private func moved(
    _ asked: ArraySlice<(key: Int64, value: RoomPosition)>
  ) throws -> [(room: Room, last: RoomPosition.Mark?, asked: RoomPosition)] {
    let asked = Dictionary(uniqueKeysWithValues: asked.map { ($0.key, $0.value) })
    let found = try all(
      """
      SELECT r.id, r.last_seq, c.uuid, c.created_at FROM rooms r LEFT JOIN chats c ON c.room_id = r.id AND c.seq = r.last_seq
      WHERE r.id IN (\(list: Array(asked.keys)))
      """
    ) { row in
      let chat: String? = try row.get("uuid")
      return (
        id: try row.get("id") as Int64, seq: try row.get("last_seq") as Int64,
        chat: try chat.map { .init(id: $0, createdAt: try row.get("created_at")) } as RoomPosition.Mark?
      )
    }
    var moved: [Int64: (last: RoomPosition.Mark?, asked: RoomPosition)] = [:]
    for (id, seq, chat) in found {
      guard let asked = asked[id], asked.hold != nil || !asked.isLast(seq, chat) else { continue }
      moved[id] = (chat, asked)
    }
    guard !moved.isEmpty else { return [] }
    return try all(
      "SELECT \(sql: Room.columns) FROM rooms r WHERE r.id IN (\(list: Array(moved.keys)))", Room.init
    ).compactMap { room in moved[room.id.number].map { (room, $0.last, $0.asked) } }
  }

  /// The last `seq` up to which the database still has the delivered chats.
  private func lastShared(
    _ position: RoomPosition, _ last: RoomPosition.Mark?, in room: Room
  ) throws -> Int64 {
    guard let firstDate = position.firstDate, !position.isLast(room.lastSeq, last) else {
      return min(position.seq, room.lastSeq)
    }
    let there = try all(
      """
      SELECT seq, uuid, created_at FROM chats
      WHERE room_id = \(room.id.number) AND seq >= \(position.firstMark) AND seq <= \(position.seq) ORDER BY seq DESC
      """
    ) { row in
      (
        seq: try row.get("seq") as Int64,
        chat: RoomPosition.Mark(id: try row.get("uuid"), createdAt: try row.get("created_at"))
      )
    }
    if let shared = there.first(where: { position.has($0.seq, $0.chat) }) { return shared.seq }
    // All remembered chats are lost, and perhaps earlier ones. Chats dated after the first remembered one are new.
    return min(position.firstMark - 1, try lastSeq(in: room.id.number, notAfter: firstDate))
  }
}
