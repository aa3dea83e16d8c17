import Storage

// The questions of `madang doctor` to the database.

extension Madang {
  /// The time of the newest audit row of a kind, in milliseconds since 1970.
  package func latestAudit(of kind: AuditKind) async throws -> Int64? {
    try await database.read {
      try $0.first("SELECT at FROM audit WHERE kind = \(kind.rawValue) ORDER BY at DESC LIMIT 1") { try $0.get("at") }
    }
  }

  /// The time of the oldest audit row, in milliseconds since 1970.
  package func auditBegan() async throws -> Int64? {
    try await database.read { try $0.first("SELECT at FROM audit ORDER BY at LIMIT 1") { try $0.get("at") } }
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
