import GRDB

// The server keeps no read marks, so each device keeps its own.
extension LocalStore {
  /// Stores that a room was read up to a date, such as the ``Chat/createdAt`` of the last chat shown. A date earlier than the stored one
  /// changes nothing.
  public func markRead(_ room: RoomAddress, upTo date: String) async throws {
    try await write { database in
      try database.execute(
        sql: """
          INSERT INTO reading (room, date) VALUES (?, ?)
          ON CONFLICT (room) DO UPDATE SET date = excluded.date WHERE excluded.date > reading.date
          """,
        arguments: [room.id, date])
    }
  }

  /// The date up to which each room was read, for ``MadangClient/unread(in:)``; ``RoomAddress/beginning`` for rooms that were never read.
  public func readDates(of rooms: [RoomAddress]) async throws -> [RoomAddress: String] {
    try await read { database in
      let statement = try database.cachedStatement(sql: "SELECT date FROM reading WHERE room = ?")
      var dates: [RoomAddress: String] = [:]
      for room in rooms {
        dates[room] = try String.fetchOne(statement, arguments: [room.id]) ?? RoomAddress.beginning
      }
      return dates
    }
  }
}
