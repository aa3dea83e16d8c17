import Storage

extension Madang {
  /// By how much clocks of servers may differ, in milliseconds. What was seen later than that is not taken for recent: it
  /// would be until that time has come.
  static let maxSkew: Int64 = 60_000

  /// When something seen at an address counts as recent.
  private func recent(_ window: Int64) -> ClosedRange<Int64> { clock.now - window...clock.now + Self.maxSkew }

  /// Notes that an account was seen at an address at this time; nothing for one that is disabled or has no session.
  package func note(_ user: Int64, at address: String, time: Int64) async throws {
    try await database.write(heedsStop: false) { transaction in
      _ = try transaction.execute(
        """
        INSERT INTO recent_addresses (address, user_id, seen_at)
        SELECT \(address), u.id, \(time) FROM users u WHERE u.id = \(user) AND u.disabled_at IS NULL
          AND EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id)
        ON CONFLICT (address, user_id) DO UPDATE SET seen_at = excluded.seen_at
        WHERE recent_addresses.seen_at < excluded.seen_at
          OR recent_addresses.seen_at > excluded.seen_at + \(Self.maxSkew)
        """)
    }
  }

  /// An account that was seen at the address within `window` milliseconds and may read the room.
  package func reader(of room: Room, seenAt address: String, within window: Int64) async throws -> Int64? {
    try await database.read { [times = recent(window)] transaction in
      try transaction.reader(of: room.id.number, seenAt: address, times)
    }
  }

  /// The account that was seen at the address within `window` milliseconds, if it is the only one of those that may act.
  package func onlyAccount(seenAt address: String, within window: Int64) async throws -> Int64? {
    let seen = try await database.read { [times = recent(window)] transaction in
      try transaction.all(
        """
        SELECT a.user_id FROM recent_addresses a JOIN users u ON u.id = a.user_id
        WHERE a.address = \(address) AND a.seen_at BETWEEN \(times.lowerBound) AND \(times.upperBound)
          AND u.disabled_at IS NULL LIMIT 2
        """
      ) { try $0.get("user_id") as Int64 }
    }
    return seen.count == 1 ? seen[0] : nil
  }

  /// Whether the account with this e-mail was seen at the address within `window` milliseconds.
  package func isKnown(_ emailKey: String, at address: String, within window: Int64) async throws -> Bool {
    try await database.read { [times = recent(window)] transaction in
      try transaction.first(
        """
        SELECT 1 AS found FROM recent_addresses a JOIN users u ON u.id = a.user_id
        WHERE u.email_key = \(emailKey) AND a.address = \(address)
          AND a.seen_at BETWEEN \(times.lowerBound) AND \(times.upperBound)
        """
      ) { _ in true } ?? false
    }
  }

  /// Forgets addresses older than `window` milliseconds, and those of times to come.
  package func forgetAddresses(olderThan window: Int64) async throws {
    try await database.write { [times = recent(window)] transaction in
      _ = try transaction.execute(
        "DELETE FROM recent_addresses WHERE seen_at NOT BETWEEN \(times.lowerBound) AND \(times.upperBound)")
    }
  }
}
