import Storage

/// A deleted room or workspace whose rows still exist.
package enum DeletedPlace: Hashable, Sendable {
  case room(Int64)
  case workspace(Int64)
}

extension Madang {
  /// How many deleted places are read at a time.
  private static let maxDeletedPlaces = 1000

  /// Deleted places that are not cleared yet and not on legal hold: rooms first, each kind in the order of deletion, at most 1000 of each.
  package func deletedPlaces() async throws -> [DeletedPlace] {
    try await database.read { try $0.deletedPlaces(limit: Self.maxDeletedPlaces) }
  }

  /// Clears up what deleted rooms and workspaces left, a page at a time: no other write waits for more than a page. On
  /// PostgreSQL none waits at all: there the last row of a room takes longer, because all that was deleted and not forgotten
  /// yet is walked for it. What is cut off goes on with the next call.
  package func clearDeleted(_ places: [DeletedPlace]) async throws {
    var page = DeletionPage()
    for place in places {
      while true {
        let step = try await database.writeAside { [now = clock.now, page] transaction in
          let start = ContinuousClock.now
          let cleared = try transaction.clearPage(page, of: place, now: now)
          return cleared.map { (cleared: $0, duration: ContinuousClock.now - start) }
        }
        guard let step else { break }
        page.cleared = step.cleared
        page.adapt(to: step.duration)
        // Others have the writer for as long.
        try await Task.sleep(for: step.duration)
      }
    }
  }
}

/// How many rows are deleted at a time: as many as take ``DeletionPage/target`` on this machine.
struct DeletionPage {
  static let target = Duration.milliseconds(5)
  static let limits = 20...2000

  private(set) var rows = 100
  /// The room whose chats are being deleted, and up to which `seq` they are: what a long transaction of others keeps
  /// from being forgotten is not walked again for each page.
  var cleared = (room: Int64(0), seq: Int64(0))

  mutating func adapt(to duration: Duration) {
    let factor = min(2, max(0.25, Self.target / max(duration, .microseconds(1))))
    rows = min(Self.limits.upperBound, max(Self.limits.lowerBound, Int(Double(rows) * factor)))
  }
}
