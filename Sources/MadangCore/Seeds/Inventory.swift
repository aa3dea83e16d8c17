import Storage

/// Who and what a database has, as of one moment, but for the chats: what a seed is written from. Its size goes with people, places
/// and memberships.
package struct Inventory: Sendable {
  package struct Resident: Sendable {
    package let account: Account
    /// Devices that are told of chats, oldest first.
    package let devices: [Planting.Device]
  }

  package struct Member: Sendable {
    package let person: Int64
    package let joinedAt: Int64
  }

  /// What a room has of chats.
  package struct Extent: Sendable {
    package let room: Int64
    package let createdAt: Int64
    package let lastSeq: Int64
    /// Nil if there is none.
    package let firstChatAt: Int64?
    /// All that wrote in it.
    package let authors: [Int64]
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
    /// Those that were deleted and not cleared up yet: their names are gone.
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

  /// A room's chats after one, up to another, oldest first; those that there still are.
  package func chats(ofRoom room: Int64, afterSeq seq: Int64, through last: Int64) async throws -> [Chat] {
    try await database.read { transaction in
      try transaction.anyRoom(room).map { try transaction.chats(in: $0, afterSeq: seq, through: last) } ?? []
    }
  }

  /// All bytes of a stored file; nil if it is not there, or larger.
  /// - Parameter path: As chats have it.
  package func bytes(ofFile path: String, limit: Int) async throws -> [UInt8]? {
    guard let (file, _) = try await database.read({ try $0.file(shownPath: path) }), (1...limit).contains(file.size)
    else { return nil }
    return try await files.bytes(of: file)
  }
}
