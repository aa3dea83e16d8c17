import Storage

extension SQL {
  /// The account of a session, as ``Caller/init(of:_:)`` reads it.
  static func caller(session: SessionID, edition: String) -> SQL {
    """
    SELECT \(sql: Person.columns) FROM sessions s LEFT JOIN users u ON u.id = s.user_id
    WHERE s.id = \(session.number) AND s.created_at = \(session.begun) AND s.edition = \(edition) AND u.disabled_at IS NULL
    """
  }
}

extension Caller {
  /// Throws `.noSuchSession` if the session has ended, `.accountGone` if its account was deleted.
  init(of session: SessionID, _ row: Row?) throws {
    guard let row else { throw Failure(.noSuchSession, "the session has ended") }
    guard try row.get("user_id", as: Int64?.self) != nil else {
      throw Failure(.accountGone, "the account no longer exists")
    }
    self.init(session: session, person: try Person(row))
  }
}

extension Transaction {
  /// Throws `.noSuchSession` if the session has ended, `.accountGone` if its account was deleted.
  func caller(session: SessionID, edition: String) throws -> Caller {
    try Caller(of: session, first(.caller(session: session, edition: edition)) { $0 })
  }

  func credentials(_ emailKey: String) throws -> (user: Int64, passwordHash: String?)? {
    try first("SELECT id, password_hash FROM users WHERE email_key = \(emailKey)") {
      (try $0.get("id"), try $0.get("password_hash"))
    }
  }

  /// - Parameter origin: Where the session is begun.
  /// Throws `.disabled` for a disabled account.
  func insertSession(
    user: Int64, from origin: Origin, refreshHash: String, refreshExpiresAt: Int64, deviceToken: String?, now: Int64
  ) throws -> SessionID {
    let session: Int64? = try first(
      """
      INSERT INTO sessions (user_id, edition, refresh_hash, refresh_expires_at, device_token, device_hash, device_token_at,
        created_at, last_used_at, address, device)
      SELECT u.id, \(origin.edition), \(refreshHash), \(refreshExpiresAt), \(deviceToken), \(deviceToken?.sha256),
        \(deviceToken.map { _ in now }), \(now), \(now), \(origin.address.isEmpty ? nil : origin.address),
        \(origin.place?.device)
      FROM users u WHERE u.id = \(user) AND u.disabled_at IS NULL \(sql: .returningID)
      """
    ) { try $0.get("id") }
    guard let session else { throw Failure(.disabled, "the account is disabled") }
    return SessionID(number: session, begun: now)
  }

  func session(refreshHash: String, edition: String) throws -> RefreshableSession? {
    try first(
      """
      SELECT s.id, s.created_at, s.refresh_expires_at, u.id AS user_id FROM sessions s LEFT JOIN users u ON u.id = s.user_id
      WHERE s.refresh_hash = \(refreshHash) AND s.edition = \(edition) AND u.disabled_at IS NULL
      """
    ) { row in
      RefreshableSession(
        id: SessionID(number: try row.get("id"), begun: try row.get("created_at")),
        refreshExpiresAt: try row.get("refresh_expires_at"), user: try row.get("user_id"))
    }
  }

  func touchSession(_ id: Int64, now: Int64) throws {
    try execute("UPDATE sessions SET last_used_at = \(now) WHERE id = \(id)")
  }

  /// The sessions with these numbers that exist.
  func sessions(_ numbers: [Int64]) throws -> [SessionID] {
    try all("SELECT id, created_at FROM sessions WHERE id IN (\(list: numbers))") {
      SessionID(number: try $0.get("id"), begun: try $0.get("created_at"))
    }
  }

  /// The accounts among these that are enabled and have a session.
  func signedIn(among users: [Int64]) throws -> [Int64] {
    try all(
      """
      SELECT u.id FROM users u WHERE u.id IN (\(list: users)) AND u.disabled_at IS NULL
        AND EXISTS (SELECT 1 FROM sessions s WHERE s.user_id = u.id)
      """
    ) { try $0.get("id") }
  }

  func user(ofSession id: Int64) throws -> Int64? {
    try first("SELECT user_id FROM sessions WHERE id = \(id)") { try $0.get("user_id") }
  }

  func hasSession(_ user: Int64) throws -> Bool {
    try first("SELECT 1 AS found FROM sessions WHERE user_id = \(user) LIMIT 1") { _ in true } ?? false
  }

  func requireUnexpired(_ session: Int64, now: Int64) throws {
    let found = try first("SELECT 1 AS found FROM sessions WHERE id = \(session) AND refresh_expires_at > \(now)") {
      _ in true
    }
    guard found ?? false else { throw Failure(.refreshExpired, "the session's refresh token has expired") }
  }

  func requireSession(_ session: SessionID) throws {
    guard try sessions([session.number]) == [session] else { throw Failure(.noSuchSession, "the session has ended") }
  }

  func setDeviceToken(_ token: String?, session: Int64, now: Int64) throws {
    try execute(
      """
      UPDATE sessions SET device_token = \(token), device_hash = \(token?.sha256), device_token_at = \(now)
      WHERE id = \(session)
      """)
  }

  /// How many sessions of other accounts lose a push token at once. `pushDevices` skips further ones.
  private static let maxFormerOwners = 100

  /// Removes a push token from sessions of other accounts. The account that registered it last has the device, which must not show messages
  /// of the others.
  func takeDeviceToken(_ token: String, for user: Int64) throws {
    try execute(
      """
      UPDATE sessions SET device_token = NULL, device_hash = NULL WHERE id IN
        (SELECT s.id FROM sessions s WHERE s.device_hash = \(token.sha256) AND s.device_token = \(token)
          AND s.user_id <> \(user) LIMIT \(Self.maxFormerOwners))
      """)
  }

  /// Sessions of an account other than `session`, most recently refreshed first, without the first `kept`.
  func sessions(of user: Int64, besides session: Int64, beyond kept: Int, limit: Int) throws -> [Int64] {
    try all(
      """
      SELECT id FROM sessions WHERE user_id = \(user) AND id <> \(session)
      ORDER BY last_used_at DESC, id DESC LIMIT \(limit) OFFSET \(kept)
      """
    ) { try $0.get("id") }
  }

  /// False if the session does not exist.
  func deleteSession(_ id: Int64) throws -> Bool { try execute("DELETE FROM sessions WHERE id = \(id)") == 1 }

  /// Deletes up to `limit` expired sessions, and returns how many.
  func deleteSessions(expiredBefore time: Int64, limit: Int) throws -> Int {
    try execute(
      """
      DELETE FROM sessions WHERE id IN
        (SELECT id FROM sessions WHERE refresh_expires_at < \(time) ORDER BY refresh_expires_at LIMIT \(limit))
      """)
  }

  /// Returns the numbers of the deleted sessions.
  func deleteSessions(of user: Int64) throws -> [Int64] {
    try all("DELETE FROM sessions WHERE user_id = \(user) RETURNING id") { try $0.get("id") }
  }
}
