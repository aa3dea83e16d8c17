import Storage

/// The accounts, workspaces and rooms of a database as of one moment, without chats. Seeds are written from it. Its size grows with
/// accounts, places and memberships.
package struct Inventory: Sendable {
  package struct Resident: Sendable {
    package let account: Account
    /// Devices that get notifications, oldest first.
    package let devices: [Planting.Device]
  }

  package struct Member: Sendable {
    package let person: Int64
    package let joinedAt: Int64
  }

  /// The range and the authors of a room's chats.
  package struct Extent: Sendable {
    package let id: ObjectID
    package let createdAt: Int64
    package let lastSeq: Int64
    /// Nil if there is no chat.
    package let firstChatAt: Int64?
    /// All accounts that wrote in the room.
    package let authors: [Int64]

    /// The room's number.
    package var room: Int64 { id.number }
  }

  package struct ChannelEntry: Sendable {
    package let channel: Channel
    package let members: [Member]
    package let extent: Extent
  }

  package struct Pair: Sendable {
    package let people: (Int64, Int64)
    package let extent: Extent
  }

  package struct WorkspaceEntry: Sendable {
    package let workspace: Workspace
    package let members: [Member]
    /// The default channel comes first.
    package let channels: [ChannelEntry]
    /// Deleted channels that are not cleared yet. Their names are lost.
    package let deletedChannels: [Channel]
    package let pairs: [Pair]
  }

  package let people: [Resident]
  package let workspaces: [WorkspaceEntry]

  package var chats: Int64 {
    workspaces.reduce(0) { sum, workspace in
      sum + workspace.channels.reduce(0) { $0 + $1.extent.lastSeq }
        + workspace.pairs.reduce(0) { $0 + $1.extent.lastSeq }
    }
  }
}

extension Madang {
  package func inventory() async throws -> Inventory {
    try await database.read { try $0.inventory() }
  }

  /// The chats of a room with numbers above `seq` and up to `last`, oldest first, without deleted ones.
  package func chats(ofRoom room: Int64, afterSeq seq: Int64, through last: Int64) async throws -> [Chat] {
    try await database.read { transaction in
      try transaction.anyRoom(room).map { try transaction.chats(in: $0, afterSeq: seq, through: last) } ?? []
    }
  }

  /// All bytes of a stored file; nil if it is missing or larger than `limit`.
  /// - Parameter path: As chats contain it.
  package func bytes(ofFile path: String, limit: Int) async throws -> [UInt8]? {
    guard let (file, _) = try await database.read({ try $0.file(shownPath: path) }), (1...limit).contains(file.size)
    else { return nil }
    return try await files.bytes(of: file)
  }
}
