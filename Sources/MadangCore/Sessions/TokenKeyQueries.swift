import Storage

extension Transaction {
  func tokenKey() throws -> KnownTokenKey? {
    try first("SELECT value FROM installation WHERE name = 'token_key'") { KnownTokenKey(try $0.get("value")) } ?? nil
  }

  /// Does nothing if there is a key.
  func insertTokenKey(_ key: KnownTokenKey) throws {
    try execute(
      "INSERT INTO installation (name, value) VALUES ('token_key', \(key.text)) ON CONFLICT (name) DO NOTHING")
  }

  /// Does nothing if there is a digest.
  func replaceKeptTokenKey(by key: KnownTokenKey) throws {
    try execute(
      """
      INSERT INTO installation (name, value) VALUES ('token_key', \(key.text))
      ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value WHERE installation.value LIKE 'key %'
      """)
  }

  func setTokenKey(_ key: KnownTokenKey) throws {
    try execute(
      """
      INSERT INTO installation (name, value) VALUES ('token_key', \(key.text))
      ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
      """)
  }
}
