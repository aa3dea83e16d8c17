import Storage

// The questions of `madang doctor` to the database.

extension Madang {
  /// The time of the newest audit row of a kind, in milliseconds since 1970. Rows of the future, which a wrong clock wrote, do not count.
  package func latestAudit(of kind: AuditKind) async throws -> Int64? {
    try await database.read { [now = clock.now] in
      try $0.first(
        "SELECT at FROM audit WHERE kind = \(kind.rawValue) AND at <= \(now + Self.clockDifference) ORDER BY at DESC LIMIT 1"
      ) { try $0.get("at") }
    }
  }

  /// By how much the clocks of two servers may differ, in milliseconds.
  private static let clockDifference: Int64 = 3_600_000

  /// Whether there is an account.
  package func hasAccount() async throws -> Bool {
    try await database.read { try $0.first("SELECT 1 AS found FROM users LIMIT 1") { _ in true } ?? false }
  }

  /// Mails whose last attempt failed; nil if there are none.
  package func failingMails() async throws -> FailingMails? {
    try await database.read { transaction in
      let oldest: (since: Int64, reason: String)? = try transaction.first(
        "SELECT created_at, error FROM mails WHERE error IS NOT NULL ORDER BY id LIMIT 1"
      ) { (try $0.get("created_at"), try $0.get("error")) }
      guard let oldest else { return nil }
      return FailingMails(
        count: try transaction.one("SELECT COUNT(*) AS number FROM mails WHERE error IS NOT NULL") {
          try $0.get("number")
        }, since: oldest.since, reason: oldest.reason)
    }
  }

  /// SQLite only: a description of the first damage found; nil if the file is intact. Reads the whole file.
  package func damage() async throws -> String? {
    let answer: String? = try await database.read {
      try $0.first("SELECT quick_check AS answer FROM pragma_quick_check(1)") { try $0.get("answer") }
    }
    return answer == "ok" ? nil : answer
  }

  /// PostgreSQL only: the settings that decide what a crash may lose, as sessions of this server have them.
  package func databaseSettings() async throws -> [String: String] {
    let names = [
      "fsync", "full_page_writes", "synchronous_commit", "max_connections", "superuser_reserved_connections",
    ]
    let rows: [(String, String)] = try await database.read {
      try $0.all("SELECT name, setting FROM pg_settings WHERE name IN (\(list: names))") {
        (try $0.get("name"), try $0.get("setting"))
      }
    }
    return Dictionary(rows) { first, _ in first }
  }
}

/// Mails that the mail server has not accepted yet.
package struct FailingMails: Sendable {
  package let count: Int
  /// When the oldest was queued, in milliseconds since 1970.
  package let since: Int64
  /// Why the oldest was not accepted.
  package let reason: String
}
