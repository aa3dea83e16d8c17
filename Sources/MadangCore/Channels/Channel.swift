import Storage

package struct Channel: Sendable {
  /// The ids of the channel's room.
  package let id: ObjectID
  package let workspace: Int64
  package let name: String
  package let description: String
  package let cover: String?
  package let owner: ObjectID
  package let isDefault: Bool
  package let createdAt: Int64

  /// What ``init(_:)`` reads, of `channels c JOIN rooms r`.
  static let columns: SQL = """
    r.id AS room_id, r.uuid AS room_uuid, r.workspace_id, c.name, c.description, c.cover_image, c.is_default,
    r.created_at, c.owner_id, (SELECT o.uuid FROM users o WHERE o.id = c.owner_id) AS owner_uuid
    """

  init(_ row: Row) throws {
    id = try row.objectID(number: "room_id", uuid: "room_uuid")
    workspace = try row.get("workspace_id")
    name = try row.get("name")
    description = try row.get("description")
    cover = try row.get("cover_image")
    owner = try row.objectID(number: "owner_id", uuid: "owner_uuid")
    isDefault = try row.get("is_default")
    createdAt = try row.get("created_at")
  }

  func requireOwner(_ user: Int64) throws {
    guard owner.number == user else { throw Failure(.notOwner, "another account owns the channel") }
  }
}

package struct ChannelDetail: Sendable {
  package let channel: Channel
  /// Oldest first.
  package let members: Listing<Person>
}

extension Channel: Listed {
  var estimatedSize: Int { 250 + name.utf8.count + description.utf8.count }
}
