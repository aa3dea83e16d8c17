import Storage

extension Transaction {
  func installationID() throws -> String? {
    try first("SELECT value FROM installation WHERE name = 'id'") { try $0.get("value") }
  }

  /// The value that the table `installation` has for a name.
  func installationValue(_ name: String) throws -> String? {
    try first("SELECT value FROM installation WHERE name = \(name)") { try $0.get("value") }
  }

  func setInstallationValue(_ name: String, _ value: String) throws {
    try execute(
      """
      INSERT INTO installation (name, value) VALUES (\(name), \(value))
      ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value
      """)
  }

  func wasServed() throws -> Bool {
    try first(
      """
      SELECT 1 AS one WHERE EXISTS (SELECT 1 FROM installation WHERE name = 'token_key') OR EXISTS (SELECT 1 FROM users)
      """
    ) { _ in true } ?? false
  }

  /// Stores the id unless there is one, and returns the stored id. Of several servers that start at once, one decides.
  func settleInstallationID(_ id: String) throws -> String {
    try execute("INSERT INTO installation (name, value) VALUES ('id', \(id)) ON CONFLICT (name) DO NOTHING")
    guard let id = try installationID() else { throw UnexpectedlyEmpty() }
    return id
  }
}
