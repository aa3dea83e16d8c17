import Storage

extension Madang {
  /// Notes that an account was seen at an address at this time.
  package func note(_ user: Int64, at address: String, time: Int64) async throws {
    try await database.write { transaction in
      _ = try transaction.execute(
        """
        INSERT INTO recent_addresses (address, user_id, seen_at) VALUES (\(address), \(user), \(time))
        ON CONFLICT (address, user_id) DO UPDATE SET seen_at = excluded.seen_at
        WHERE recent_addresses.seen_at < excluded.seen_at
        """)
    }
  }

  /// An account that was seen at the address within `window` milliseconds and may read the room.
  package func reader(of room: Room, seenAt address: String, within window: Int64) async throws -> Int64? {
    try await database.read { [since = clock.now - window] transaction in
      try transaction.reader(of: room.id.number, seenAt: address, since: since)
    }
  }

  /// Forgets addresses older than `window` milliseconds.
  package func forgetAddresses(olderThan window: Int64) async throws {
    try await database.write { [before = clock.now - window] transaction in
      _ = try transaction.execute("DELETE FROM recent_addresses WHERE seen_at < \(before)")
    }
  }
}
