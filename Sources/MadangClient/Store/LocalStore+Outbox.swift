import Foundation
import GRDB

/// A stored outgoing chat.
struct OutboxRow: Sendable {
  let id: UUID
  let content: String
  let files: [URL]
  /// If the chat was posted, its date is later than this.
  var newerThan: String
  /// Whether it may have been posted.
  var wasTried: Bool
}

extension LocalStore {
  func enqueue(_ row: OutboxRow, in room: RoomAddress, owner: UUID) async throws {
    let files = String(decoding: try JSONEncoder().encode(row.files.map(\.path)), as: UTF8.self)
    try await write { database in
      try database.execute(
        sql: """
          INSERT INTO outbox (id, room, owner, content, files, newer_than, was_tried) VALUES (?, ?, ?, ?, ?, ?, ?)
          """,
        arguments: [
          row.id.uuidString, room.id, owner.uuidString, row.content, files, row.newerThan, row.wasTried,
        ])
    }
  }

  /// Takes over outgoing chats of other owners for a room, oldest first.
  func adopt(from room: RoomAddress, by owner: UUID) async throws -> [OutboxRow] {
    try await write { database in
      let others = "room = ? AND owner <> ?"
      let rows = try Row.fetchAll(
        database,
        sql: "SELECT id, content, files, newer_than, was_tried FROM outbox WHERE \(others) ORDER BY position",
        arguments: [room.id, owner.uuidString])
      try database.execute(
        sql: "UPDATE outbox SET owner = ? WHERE \(others)", arguments: [owner.uuidString, room.id, owner.uuidString])
      return try rows.map { row in
        let paths = try JSONDecoder().decode([String].self, from: Data((row["files"] as String).utf8))
        return OutboxRow(
          id: UUID(uuidString: row["id"]) ?? UUID(), content: row["content"], files: paths.map { URL(filePath: $0) },
          newerThan: row["newer_than"], wasTried: row["was_tried"])
      }
    }
  }

  /// Marks a chat as about to be tried.
  /// - Returns: False if it no longer belongs to this owner.
  func beginTrying(_ id: UUID, newerThan: String, owner: UUID) async throws -> Bool {
    try await write { database in
      try database.execute(
        sql: "UPDATE outbox SET was_tried = 1, newer_than = ? WHERE id = ? AND owner = ?",
        arguments: [newerThan, id.uuidString, owner.uuidString])
      return database.changesCount == 1
    }
  }

  func removeFromOutbox(_ id: UUID) async throws {
    try await write { try $0.execute(sql: "DELETE FROM outbox WHERE id = ?", arguments: [id.uuidString]) }
  }
}
