import Storage

extension Madang {
  /// How many rooms one transaction counts, so that others get their turn.
  private static let roomsAtOnce = 100

  /// How many chats by others rooms of a workspace have after a date each. Rooms that the caller may not read are left out. Does not join.
  /// Throws `.notFound`, as ``unread(in:after:as:)`` does, if the workspace is not one of the caller's.
  /// - Parameter dates: By the id of a channel or direct message.
  package func unreads(
    in workspace: Reference, after dates: [String: Int64], as principal: Principal
  ) async throws -> [String: Int] {
    let ids = dates.keys.sorted()
    var counts: [String: Int] = [:]
    var start = 0
    repeat {
      let part = Array(ids[start..<min(start + Self.roomsAtOnce, ids.count)])
      let found = try await read(as: principal) { transaction, caller in
        _ = try transaction.workspace(workspace, of: caller.id)
        return try transaction.rooms(part, in: workspace, readableBy: caller.id).map {
          try transaction.unread(in: $0, after: dates[$0.id.uuid], of: caller.id)
        }
      }
      for unread in found { counts[unread.room.id.uuid] = unread.count }
      start += part.count
    } while start < ids.count
    return counts
  }
}
