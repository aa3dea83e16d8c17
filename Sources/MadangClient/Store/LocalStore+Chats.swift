import Foundation
import GRDB
import MadangAPI

// The stored chats of a room are always the beginning of its history without a gap: chats are only added after reading the history from the
// newest stored one. So the newest date is the cursor.
extension LocalStore {
  /// The date of the newest chat of a room; empty if there is none.
  func newest(in room: RoomAddress) async throws -> String {
    try await read { database in
      try String.fetchOne(database, sql: "SELECT MAX(created_at) FROM chats WHERE room = ?", arguments: [room.id]) ?? ""
    }
  }

  /// Whether a room's history has once been completely read. Otherwise the stored part may end long ago.
  func isWhole(_ room: RoomAddress) async throws -> Bool {
    try await read { database in
      try Bool.fetchOne(
        database, sql: "SELECT EXISTS (SELECT 1 FROM whole WHERE room = ?)", arguments: [room.id]) == true
    }
  }

  func markWhole(_ room: RoomAddress) async throws {
    try await write { try $0.execute(sql: "INSERT OR IGNORE INTO whole VALUES (?)", arguments: [room.id]) }
  }

  /// Chats newer than a date and not newer than another, oldest first.
  func chats(in room: RoomAddress, after: String, upTo newest: String, limit: Int) async throws -> [Chat] {
    try await chats(
      room, "created_at > ? AND created_at <= ? ORDER BY created_at LIMIT ?", [after, newest, limit])
  }

  /// The last chats not newer than a date, oldest first.
  func chats(in room: RoomAddress, upTo newest: String, limit: Int) async throws -> [Chat] {
    try await chats(room, "created_at <= ? ORDER BY created_at DESC LIMIT ?", [newest, limit]).reversed()
  }

  /// The last chats older than a date, oldest first.
  func chats(in room: RoomAddress, before: String, limit: Int) async throws -> [Chat] {
    try await chats(room, "created_at < ? ORDER BY created_at DESC LIMIT ?", [before, limit]).reversed()
  }

  /// Adds chats that follow the stored ones. A chat that is already stored is replaced.
  func add(_ chats: [Chat], to room: RoomAddress) async throws {
    let rows = try chats.map { ($0.createdAt, Data(try WireEncoder.encode($0))) }
    try await write { database in
      let statement = try database.cachedStatement(
        sql: """
          INSERT INTO chats (room, created_at, body) VALUES (?, ?, ?)
          ON CONFLICT (room, created_at) DO UPDATE SET body = excluded.body
          """)
      for (createdAt, body) in rows { try statement.execute(arguments: [room.id, createdAt, body]) }
    }
  }

  private func chats(_ room: RoomAddress, _ rest: String, _ arguments: StatementArguments) async throws -> [Chat] {
    let bodies = try await read { database in
      try Data.fetchAll(
        database.cachedStatement(sql: "SELECT body FROM chats WHERE room = ? AND " + rest),
        arguments: [room.id] + arguments)
    }
    return try bodies.map { try room.chat(json: $0) }
  }
}
