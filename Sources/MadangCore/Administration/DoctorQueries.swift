import Storage

// What `madang doctor` asks a database.

extension Madang {
  /// When the newest row of a kind was written to the audit log, in milliseconds since 1970.
  package func latestAudit(of kind: AuditKind) async throws -> Int64? {
    try await database.read {
      try $0.first("SELECT at FROM audit WHERE kind = \(kind.rawValue) ORDER BY at DESC LIMIT 1") { try $0.get("at") }
    }
  }

  /// When the oldest row of the audit log was written, in milliseconds since 1970.
  package func auditBegan() async throws -> Int64? {
    try await database.read { try $0.first("SELECT at FROM audit ORDER BY at LIMIT 1") { try $0.get("at") } }
  }

  /// SQLite: what the first damage is; nil if there is none. Reads the whole file.
  package func damage() async throws -> String? {
    let answer: String? = try await database.read {
      try $0.first("SELECT quick_check AS answer FROM pragma_quick_check(1)") { try $0.get("answer") }
    }
    return answer == "ok" ? nil : answer
  }

  /// PostgreSQL: settings, as they are in a session of a server's, on which it depends what a crash costs.
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
