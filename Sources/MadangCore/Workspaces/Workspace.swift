import Storage

package struct Workspace: Sendable {
  package let id: ObjectID
  package let name: String
  package let description: String
  package let cover: String?
  package let owner: ObjectID
  package let createdAt: Int64

  /// The columns that ``init(_:)`` reads, from `workspaces w`; the owner is looked up by key.
  static let columns: SQL = """
    w.id AS workspace_id, w.uuid AS workspace_uuid, w.name, w.description, w.cover_image, w.created_at,
    w.owner_id, (SELECT o.uuid FROM users o WHERE o.id = w.owner_id) AS owner_uuid
    """

  init(_ row: Row) throws {
    id = try row.objectID(number: "workspace_id", uuid: "workspace_uuid")
    name = try row.get("name")
    description = try row.get("description")
    cover = try row.get("cover_image")
    owner = try row.objectID(number: "owner_id", uuid: "owner_uuid")
    createdAt = try row.get("created_at")
  }

  func requireOwner(_ user: Int64) throws {
    guard owner.number == user else { throw Failure(.notOwner, "another account owns the workspace") }
  }
}

package struct WorkspaceDetail: Sendable {
  package let workspace: Workspace
  /// Newest first.
  package let channels: Listing<Channel>
  /// Oldest first.
  package let members: Listing<Person>
}

extension Workspace: Listed {
  var estimatedSize: Int { 250 + name.utf8.count + description.utf8.count }
}
