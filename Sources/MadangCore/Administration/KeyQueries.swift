import Storage

extension Transaction {
  /// False if the key exists already, revoked or not.
  func insertKey(hash: String, edition: String, label: String, now: Int64) throws -> Bool {
    try execute(
      """
      INSERT INTO api_keys (key_hash, edition, label, created_at)
      VALUES (\(hash), \(edition), \(label), \(now)) ON CONFLICT (key_hash) DO NOTHING
      """) == 1
  }

  /// Stores `hash` as the first key with this label. False if the label has a key already; so of several servers that start at once, one
  /// decides.
  func insertFirstKey(hash: String, edition: String, label: String, now: Int64) throws -> Bool {
    try execute("INSERT INTO installation (name, value) VALUES (\(label), \(hash)) ON CONFLICT (name) DO NOTHING")
    return try execute(
      """
      INSERT INTO api_keys (key_hash, edition, label, created_at)
      SELECT \(hash), \(edition), \(label), \(now)
      WHERE EXISTS (SELECT 1 FROM installation WHERE name = \(label) AND value = \(hash))
      ON CONFLICT (key_hash) DO NOTHING
      """) == 1
  }

  /// The key must be new.
  func insertKey(
    hash: String, edition: String, label: String, registration: Registration?, approval: Approval?, now: Int64
  ) throws -> KeyRecord {
    try one(
      """
      INSERT INTO api_keys (key_hash, edition, label, created_at, registration, approval)
      VALUES (\(hash), \(edition), \(label), \(now), \(registration?.rawValue), \(approval?.rawValue))
      RETURNING \(sql: KeyRecord.columns)
      """, KeyRecord.init)
  }

  /// Nil if no such key is in use.
  func revokeKey(_ id: Int64, now: Int64) throws -> KeyRecord? {
    try first(
      """
      UPDATE api_keys SET revoked_at = \(now) WHERE id = \(id) AND revoked_at IS NULL
      RETURNING \(sql: KeyRecord.columns)
      """, KeyRecord.init)
  }

  /// Oldest first.
  func keys() throws -> [KeyRecord] {
    try all("SELECT \(sql: KeyRecord.columns) FROM api_keys ORDER BY id", KeyRecord.init)
  }

  /// The edition of each key in use, by the hash of the key.
  func keysInUse() throws -> [String: String] {
    let pairs: [(String, String)] = try all("SELECT key_hash, edition FROM api_keys WHERE revoked_at IS NULL") {
      (try $0.get("key_hash"), try $0.get("edition"))
    }
    return Dictionary(pairs) { first, _ in first }
  }

  func revokedKeys(among hashes: [String]) throws -> Set<String> {
    Set(
      try all("SELECT key_hash FROM api_keys WHERE revoked_at IS NOT NULL AND key_hash IN (\(list: hashes))") {
        try $0.get("key_hash")
      })
  }

  func hasKey(hash: String) throws -> Bool {
    try first("SELECT id FROM api_keys WHERE key_hash = \(hash)") { _ in true } ?? false
  }

  func hasKey(of edition: String) throws -> Bool {
    try first("SELECT id FROM api_keys WHERE edition = \(edition) LIMIT 1") { _ in true } ?? false
  }
}
