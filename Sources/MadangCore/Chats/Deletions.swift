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

  /// Deletes what deleted rooms and workspaces left, one page at a time: no other write waits longer than for one page. On PostgreSQL no
  /// write waits at all. There, deleting a room's last row takes longer, because PostgreSQL scans all dead rows that are not vacuumed yet.
  /// An interrupted call is continued by the next one.
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
        // Leaves the writer to others for as long.
        try await Task.sleep(for: step.duration)
      }
    }
  }
}

/// How many rows are deleted at a time: as many as this machine deletes in ``DeletionPage/target``.
struct DeletionPage {
  static let target = Duration.milliseconds(5)
  static let limits = 20...2000

  private(set) var rows = 100
  /// The room whose chats are being deleted, and the `seq` up to which they are deleted. Each page starts there, so that it does not scan
  /// dead rows that a long transaction keeps.
  var cleared = (room: Int64(0), seq: Int64(0))

  mutating func adapt(to duration: Duration) {
    let factor = min(2, max(0.25, Self.target / max(duration, .microseconds(1))))
    rows = min(Self.limits.upperBound, max(Self.limits.lowerBound, Int(Double(rows) * factor)))
  }
}
