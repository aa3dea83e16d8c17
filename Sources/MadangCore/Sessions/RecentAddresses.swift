import Storage

extension Madang {
  /// How far the clocks of servers may differ, in milliseconds. Later times do not count as recent: otherwise they would until that time
  /// has come.
  static let maxSkew: Int64 = 60_000

  /// The range of times that count as recent.
  private func recent(_ window: Int64) -> ClosedRange<Int64> { clock.now - window...clock.now + Self.maxSkew }

  /// Records that an account was seen at an address. Does nothing if it is disabled or has no session.
  package func note(_ user: Int64, at address: String, time: Int64) async throws {
    try await database.write(ignoresStop: true) {
      try $0.noteAddress(address, of: user, at: time, maxSkew: Self.maxSkew)
    }
  }

  /// An account that was seen at the address within `window` milliseconds and may read the room.
  package func reader(of room: Room, seenAt address: String, within window: Int64) async throws -> Int64? {
    try await database.read { [times = recent(window)] in
      try $0.reader(of: room.id.number, seenAt: address, times)
    }
  }

  /// The account that was seen at the address within `window` milliseconds, if it is the only enabled one.
  package func onlyAccount(seenAt address: String, within window: Int64) async throws -> Int64? {
    let seen = try await database.read { [times = recent(window)] in try $0.accounts(seenAt: address, times) }
    return seen.count == 1 ? seen[0] : nil
  }

  /// Whether the account with this e-mail was seen at the address within `window` milliseconds.
  package func isKnown(_ emailKey: String, at address: String, within window: Int64) async throws -> Bool {
    try await database.read { [times = recent(window)] in try $0.isKnown(emailKey, at: address, times) }
  }

  /// Deletes addresses that are older than `window` milliseconds or dated in the future, one page at a time.
  package func forgetAddresses(olderThan window: Int64) async throws {
    let (page, times) = (500, recent(window))
    while try await database.write({ try $0.forgetAddresses(seenOutside: times, limit: page) }) >= page {}
  }
}
