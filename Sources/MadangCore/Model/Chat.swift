import Storage

/// One message in a room. The reply to its POST, its event and its entry in the history are all made from this value. Servers with a common
/// database exchange it in this coding; the JSON for clients is made elsewhere.
package struct Chat: Codable, Sendable {
  package let id: ObjectID
  package let room: Room
  /// Counts the room's chats from 1; chats commit in this order.
  package let seq: Int64
  package let author: Person
  package let content: String
  /// Paths as clients see them, in the order of upload.
  package internal(set) var files: [String]
  /// Strictly increasing within a room.
  package let createdAt: Int64
}

/// A channel or a direct message: what chats are posted to.
package struct Room: Hashable, Codable, Sendable {
  package enum Kind: String, CaseIterable, Codable, Sendable {
    case channel, dm
  }

  package let id: ObjectID
  package let kind: Kind
  package let workspace: Int64
  /// The channel's current name; empty for a direct message.
  package let name: String
  /// The `seq` of the newest chat; 0 if there is none.
  package let lastSeq: Int64

  /// What ``init(_:)`` reads, of `rooms r`.
  static let columns: SQL = """
    r.id AS room_id, r.uuid AS room_uuid, r.kind, r.workspace_id, r.last_seq,
    (SELECT c.name FROM channels c WHERE c.room_id = r.id) AS room_name
    """

  init(_ row: Row) throws {
    id = try row.objectID(number: "room_id", uuid: "room_uuid")
    kind = try Self.kind(row)
    workspace = try row.get("workspace_id")
    name = try row.get("room_name") ?? ""
    lastSeq = try row.get("last_seq")
  }

  static func kind(_ row: Row) throws -> Kind {
    let text: String = try row.get("kind")
    guard let kind = Kind(rawValue: text) else { throw StorageError(.decoding, "'\(text)' is not a kind of room") }
    return kind
  }
}

/// The position in a room that the next chat takes.
struct ChatPlace: Sendable {
  /// The room including the new chat: its `lastSeq` is the chat's `seq`.
  let room: Room
  let createdAt: Int64

  var seq: Int64 { room.lastSeq }
}

/// How a request names a room: through its workspace, with the kind its path implies.
package struct RoomAddress: Sendable {
  package let kind: Room.Kind
  package let room: Reference
  package let workspace: Reference

  package init(_ kind: Room.Kind, _ room: Reference, in workspace: Reference) {
    self.kind = kind
    self.room = room
    self.workspace = workspace
  }
}
