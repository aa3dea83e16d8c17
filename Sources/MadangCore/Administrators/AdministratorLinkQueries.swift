import Storage

extension Transaction {
  /// - Parameter administrator: Nil for a link of `madang admin web`.
  func insertAdministratorLink(
    tokenHash: String, salt: String, of administrator: Int64?, by name: String, until end: Int64
  ) throws -> AdministratorLink {
    try one(
      """
      INSERT INTO administrator_links (token_hash, salt, administrator_id, made_by, expires_at)
      VALUES (\(tokenHash), \(salt), \(administrator), \(name), \(end)) RETURNING \(sql: AdministratorLink.columns)
      """, AdministratorLink.init)
  }

  func administratorLinks(now: Int64) throws -> [AdministratorLink] {
    try all(
      "SELECT \(sql: AdministratorLink.columns) FROM administrator_links WHERE expires_at > \(now) ORDER BY id",
      AdministratorLink.init)
  }

  /// Nil if no link with this hash is open.
  func salt(ofLink tokenHash: String, now: Int64) throws -> String? {
    try first("SELECT salt FROM administrator_links WHERE token_hash = \(tokenHash) AND expires_at > \(now)") {
      try $0.get("salt")
    }
  }

  /// Uses a link up, and returns who made it; nil if it is not open.
  func useAdministratorLink(_ tokenHash: String, now: Int64) throws -> String? {
    try first(
      "DELETE FROM administrator_links WHERE token_hash = \(tokenHash) AND expires_at > \(now) RETURNING made_by"
    ) { try $0.get("made_by") }
  }

  func deleteAdministratorLink(_ number: Int64) throws -> Bool {
    try execute("DELETE FROM administrator_links WHERE id = \(number)") > 0
  }

  /// Deletes the links that an administrator made.
  func deleteAdministratorLinks(of administrator: Int64) throws {
    try execute("DELETE FROM administrator_links WHERE administrator_id = \(administrator)")
  }

  /// Deletes the oldest links beyond a number.
  func deleteAdministratorLinks(beyond most: Int) throws {
    try execute(
      """
      DELETE FROM administrator_links WHERE id NOT IN (SELECT id FROM administrator_links ORDER BY id DESC LIMIT \(most))
      """)
  }

  func deleteAdministratorLinks(endedBy time: Int64) throws {
    try execute("DELETE FROM administrator_links WHERE expires_at <= \(time)")
  }
}
