import MadangAPI

extension MadangClient {
  /// The unread counts of many rooms. The server reports one room per call, so several calls run in parallel
  /// (``Configuration/maxParallelCalls``).
  /// - Parameter dates: The date up to which each room was read, as ``LocalStore/readDates(of:)`` returns it.
  /// - Returns: The counts. Rooms that no longer exist, or that the caller may no longer read, are left out.
  public func unread(in dates: [RoomAddress: String]) async throws -> [RoomAddress: Unread] {
    try await withThrowingTaskGroup(of: (RoomAddress, Unread?).self) { group in
      var counts: [RoomAddress: Unread] = [:]
      var waiting = dates.makeIterator()
      var running = 0
      while true {
        while running < max(1, configuration.maxParallelCalls), let (room, date) = waiting.next() {
          running += 1
          group.addTask { (room, try await self.unreadIfThere(room, date)) }
        }
        guard let (room, count) = try await group.next() else { return counts }
        running -= 1
        counts[room] = count
      }
    }
  }

  private func unreadIfThere(_ room: RoomAddress, _ date: String) async throws -> Unread? {
    do {
      return try await unread(in: room, after: date)
    } catch let error as MadangError where error.code == .notFound {
      return nil
    }
  }
}
