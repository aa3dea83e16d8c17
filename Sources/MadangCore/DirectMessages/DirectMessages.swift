import Storage

/// A room of exactly two people, as one of them sees it.
package struct DirectMessage: Sendable {
  package let id: ObjectID
  package let workspace: Int64
  package let createdAt: Int64
  package let other: Person

  init(_ row: Row) throws {
    id = try row.objectID(number: "room_id", uuid: "room_uuid")
    workspace = try row.get("workspace_id")
    createdAt = try row.get("created_at")
    other = try Person(row)
  }
}

extension Madang {
  /// The caller's direct messages in a workspace, ordered by the latest chat, or by creation if there is none, newest first. Throws
  /// `.notFound`.
  package func directMessages(in workspace: Reference, as principal: Principal) async throws
    -> Listing<DirectMessage>
  {
    try await read(as: principal) { [size = setting(\.listPage)] transaction, caller in
      let workspace = try transaction.workspace(workspace, of: caller.id)
      return try transaction.directMessages(in: workspace.id.number, of: caller.id, size)
    }
  }

  /// The room of the caller and another member; it is created if it does not exist. An existing room opens even if the other person has
  /// left. Throws `.notFound`, or `.invalid` if the caller names themselves.
  package func openDirectMessage(with other: Reference, in workspace: Reference, as principal: Principal) async throws
    -> DirectMessage
  {
    // Clients call this whenever they show the room. Most calls find it here and need no write.
    if let room = try await read(as: principal, { try $0.pair(of: $1.id, and: other, in: workspace).room }) {
      return room
    }
    return try await write(as: principal) { [self] transaction, caller in
      let (workspace, other, room) = try transaction.pair(of: caller.id, and: other, in: workspace)
      if let room { return room }
      guard try transaction.isMember(other, ofWorkspace: workspace) else {
        throw Failure(.notFound, "no such member")
      }
      try transaction.insertDirectMessage(
        uuid: ids.uuid(), workspace: workspace, of: caller.id, and: other, now: clock.now)
      guard let room = try transaction.directMessage(of: caller.id, and: other, in: workspace) else {
        throw UnexpectedlyEmpty()
      }
      return room
    }
  }
}

extension DirectMessage: Listed {
  var estimatedSize: Int { 120 + other.estimatedSize }
}
