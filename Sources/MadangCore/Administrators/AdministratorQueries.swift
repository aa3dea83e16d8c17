import Storage

/// What a sign-in is compared with.
struct AdministratorCredentials: Sendable {
  let number: Int64
  let name: String
  let passwordHash: String
  let secondStep: String
  /// The network address of the last sign-in.
  let address: String
  /// One of the recovery codes that are left.
  let codeHash: String?

  fileprivate static let columns: SQL = """
    a.id, a.name, a.password_hash, a.second_step, a.address,
    (SELECT MIN(c.code_hash) FROM administrator_codes c WHERE c.administrator_id = a.id) AS code_hash
    """

  fileprivate init(_ row: Row) throws {
    number = try row.get("id")
    name = try row.get("name")
    passwordHash = try row.get("password_hash")
    secondStep = try row.get("second_step")
    address = try row.get("address")
    codeHash = try row.get("code_hash")
  }
}

/// A new administrator, as it is stored.
struct AdministratorDraft: Sendable {
  let name: String
  let key: String
  let passwordHash: String
  let secondStep: String
  /// The step whose code proved that the app has the secret.
  let step: Int64
  let codeHashes: [String]
  let address: String
}

extension Transaction {
  func administrator(key: String) throws -> AdministratorCredentials? {
    try first(
      "SELECT \(sql: AdministratorCredentials.columns) FROM administrators a WHERE a.name_key = \(key)",
      AdministratorCredentials.init)
  }

  /// The administrator of a session. Throws ``AdministratorRefusal`` `.signedOut` if the session has ended.
  func requireAdministrator(_ session: AdministratorSession) throws -> AdministratorCredentials {
    let found = try first(
      """
      SELECT \(sql: AdministratorCredentials.columns) FROM administrators a
      JOIN administrator_sessions s ON s.administrator_id = a.id WHERE s.id = \(session.number) AND a.id = \(session.account)
      """, AdministratorCredentials.init)
    guard let found else { throw AdministratorRefusal.signedOut }
    return found
  }

  /// There are few administrators, so all are counted.
  func administratorPasswordCosts() throws -> PasswordCosts {
    let costs = PasswordCosts()
    costs.note(
      try all("SELECT password_hash FROM administrators ORDER BY id") {
        (example: try $0.get("password_hash"), count: 1)
      })
    return costs
  }

  /// The hash of a recovery code, for its cost; nil if there is none.
  func anyCodeHash() throws -> String? {
    try first("SELECT code_hash FROM administrator_codes ORDER BY administrator_id LIMIT 1") { try $0.get("code_hash") }
  }

  func administrators() throws -> [AdministratorRecord] {
    try all(
      """
      SELECT a.id, a.name, a.created_at, a.address, a.password_at, a.seen_at,
        (SELECT MAX(s.used_at) FROM administrator_sessions s WHERE s.administrator_id = a.id) AS used_at,
        (SELECT COUNT(*) FROM administrator_codes c WHERE c.administrator_id = a.id) AS codes
      FROM administrators a ORDER BY a.id
      """
    ) { row in
      AdministratorRecord(
        number: try row.get("id"), name: try row.get("name"), createdAt: try row.get("created_at"),
        seenAt: max(try row.get("seen_at"), try row.get("used_at", as: Int64?.self) ?? 0),
        address: try row.get("address"), passwordAt: try row.get("password_at"),
        recoveryCodes: try row.get("codes"))
    }
  }

  func administratorCount() throws -> Int {
    try one("SELECT COUNT(*) AS number FROM administrators") { try $0.get("number") }
  }

  /// Nil if another one has the name.
  func insertAdministrator(_ draft: AdministratorDraft, now: Int64) throws -> Int64? {
    let number: Int64? = try first(
      """
      INSERT INTO administrators (name, name_key, password_hash, password_at, second_step, last_step, created_at, seen_at, address)
      VALUES (\(draft.name), \(draft.key), \(draft.passwordHash), \(now), \(draft.secondStep), \(draft.step), \(now), \(now),
        \(draft.address))
      ON CONFLICT (name_key) DO NOTHING \(sql: .returningID)
      """
    ) { try $0.get("id") }
    if let number { try insertCodes(draft.codeHashes, of: number) }
    return number
  }

  private func insertCodes(_ hashes: [String], of administrator: Int64) throws {
    for hash in hashes {
      try execute("INSERT INTO administrator_codes (administrator_id, code_hash) VALUES (\(administrator), \(hash))")
    }
  }

  /// False if the code of this step, or of a later one, was used. A step far ahead was used while the clock was wrong, and does not count:
  /// the app would be of no use until then.
  func useStep(_ step: Int64, of administrator: Int64) throws -> Bool {
    try execute(
      """
      UPDATE administrators SET last_step = \(step)
      WHERE id = \(administrator) AND (last_step < \(step) OR last_step > \(step + SecondStep.farAhead))
      """) > 0
  }

  func useCode(_ hash: String, of administrator: Int64) throws -> Bool {
    try execute(
      "DELETE FROM administrator_codes WHERE administrator_id = \(administrator) AND code_hash = \(hash)") > 0
  }

  func noteSignIn(of administrator: Int64, from address: String, now: Int64) throws {
    try execute("UPDATE administrators SET seen_at = \(now), address = \(address) WHERE id = \(administrator)")
  }

  /// The same password at another cost.
  func renewPassword(_ hash: String, of administrator: Int64, insteadOf old: String) throws {
    try execute(
      "UPDATE administrators SET password_hash = \(hash) WHERE id = \(administrator) AND password_hash = \(old)")
  }

  func setAdministratorPassword(_ hash: String, of administrator: Int64, now: Int64) throws {
    try execute(
      "UPDATE administrators SET password_hash = \(hash), password_at = \(now) WHERE id = \(administrator)")
  }

  func setSecondStep(_ stored: String, of administrator: Int64) throws {
    try execute("UPDATE administrators SET second_step = \(stored) WHERE id = \(administrator)")
  }

  func replaceSecondStep(by stored: String, usedUp step: Int64, _ hashes: [String], of administrator: Int64) throws {
    try execute(
      "UPDATE administrators SET second_step = \(stored), last_step = \(step) WHERE id = \(administrator)")
    try execute("DELETE FROM administrator_codes WHERE administrator_id = \(administrator)")
    try insertCodes(hashes, of: administrator)
  }

  /// Locks the accounts of all administrators until COMMIT.
  func lockAdministrators() throws { try execute("UPDATE administrators SET seen_at = seen_at") }

  /// The name of the deleted administrator; nil if there was none.
  func deleteAdministrator(_ number: Int64) throws -> String? {
    try first("DELETE FROM administrators WHERE id = \(number) RETURNING name") { try $0.get("name") }
  }
}
