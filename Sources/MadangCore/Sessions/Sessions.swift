import Storage

/// The result of a sign-in. The refresh token cannot be read again: only its hash is stored.
package struct SignedIn: Sendable {
  package let account: Account
  package let session: SessionID
  package let refreshToken: String
  /// Whether this sign-in made the account.
  package let isNew: Bool
}

/// A live session as a refresh finds it.
package struct RefreshableSession: Sendable {
  package let id: SessionID
  package let refreshExpiresAt: Int64
  /// Nil if the account was deleted.
  package let user: Int64?
}

extension Madang {
  /// The name of password sign-ins in the audit log.
  static let passwordMethod = "password"

  /// Signs in by e-mail and password. Throws the same `.signInFailed` for an unknown e-mail, a wrong password, an account with another
  /// sign-in method, and an account that must confirm its address first; `.disabled` if all is right but the account is disabled.
  ///
  /// - Parameter turn: Names the caller. Callers take turns at the hashing threads.
  package func signIn(email: String, password: String, deviceToken: String?, from origin: Origin, turn: String)
    async throws -> SignedIn
  {
    let deviceToken = try TextRules.deviceToken(deviceToken)
    let key = try Self.emailKey(email)
    // Retries if the password was changed, or its hash renewed, during the comparison.
    for _ in 0..<3 {
      let found = try await database.read { try $0.credentials(key) }
      let verification = try await verify(password, against: found?.passwordHash, of: key, turn: turn)
      if case .wrong = verification { throw Failure(.signInFailed, "wrong e-mail or password") }
      guard let found else { throw Failure(.signInFailed, "wrong e-mail or password") }
      let refresh = RefreshToken(ids)
      let signedIn: SignedIn? = try await database.write(ignoresStop: true) { [self] transaction in
        // Locked: a password change ends all sessions, and no session may start with the old password afterwards.
        try transaction.lock(user: found.user)
        guard try transaction.credentials(key)?.passwordHash == found.passwordHash else { return nil }
        try requireSignInAllowed(found.user, in: transaction)
        if case .renewed(let hash) = verification {
          try transaction.storePassword(hash, of: found.user, insteadOf: found.passwordHash)
        }
        let session = try startSession(
          of: found.user, from: origin, refresh, deviceToken: deviceToken, in: transaction)
        let account = try transaction.account(found.user)
        let isNewPlace = try notePlace(of: account.person, from: origin, by: Self.passwordMethod, in: transaction)
        try audit(
          .signIn, account.person, session, origin, by: Self.passwordMethod, isNewPlace: isNewPlace, in: transaction)
        return SignedIn(account: account, session: session, refreshToken: refresh.token, isNew: false)
      }
      if let signedIn { return signedIn }
    }
    throw Failure(.signInFailed, "the password was changed meanwhile")
  }

  /// Starts a session without a password, for tests of clients. Throws `.disabled` if the account is disabled.
  package func beginSession(of user: Int64, edition: String) async throws -> (id: SessionID, refreshToken: String) {
    let refresh = RefreshToken(ids)
    let id = try await database.write(ignoresStop: true) { [self] transaction in
      try transaction.lock(user: user)
      return try startSession(
        of: user, from: Origin(edition: edition, address: ""), refresh, deviceToken: nil, in: transaction)
    }
    return (id, refresh.token)
  }

  /// How many surplus sessions one sign-in ends, if an earlier version has allowed more.
  private static let maxEndings = 100

  /// Starts a session in a transaction that has locked the account's row. If the account then has more than `accountSessions`, the least
  /// recently refreshed sessions end as by signing out. Throws `.disabled` if the account is disabled.
  func startSession(
    of user: Int64, from origin: Origin, _ refresh: RefreshToken, deviceToken: String?, in transaction: Transaction
  ) throws -> SessionID {
    let now = clock.now
    let session = try transaction.insertSession(
      user: user, from: origin, refreshHash: refresh.hash,
      refreshExpiresAt: now + settings.sessions.refreshLifetime,
      deviceToken: deviceToken, now: now)
    if let deviceToken { try transaction.takeDeviceToken(deviceToken, for: user) }
    guard settings.sessions.perAccount > 0 else { return session }
    let surplus = try transaction.sessions(
      of: user, besides: session.number, beyond: settings.sessions.perAccount - 1, limit: Self.maxEndings)
    guard !surplus.isEmpty else { return session }
    let email = try transaction.email(of: user) ?? ""
    for number in surplus where try end(session: number, of: user, in: transaction) {
      try audit(
        AuditEntry(
          kind: .sessionEnded, actor: .server, account: user, subject: email,
          detail: ["session": "\(number)", "because": "sessions.account"]), in: transaction)
    }
    return session
  }

  /// The form in which e-mail addresses are compared: addresses with the same key belong to the same account. Throws `.invalid`.
  package static func emailKey(_ email: String) throws -> String { TextRules.emailKey(try TextRules.email(email)) }

  /// The caller of a session. Throws `.noSuchSession` if it has ended, `.accountGone` if its account was deleted.
  package func caller(session: SessionID, edition: String) async throws -> Caller {
    try await database.read { try $0.caller(session: session, edition: edition) }
  }

  /// The session with this number. Throws `.noSuchSession`.
  package func session(_ number: Int64) async throws -> SessionID {
    guard let found = try await database.read({ try $0.sessions([number]).first }) else {
      throw Failure(.noSuchSession, "the session has ended")
    }
    return found
  }

  /// The caller of a session whose refresh token has not expired, for credentials without an expiry of their own.
  package func caller(livingSession session: SessionID, edition: String) async throws -> Caller {
    try await database.read { [now = clock.now] transaction in
      let caller = try transaction.caller(session: session, edition: edition)
      try transaction.requireUnexpired(session.number, now: now)
      return caller
    }
  }

  /// The sessions that have ended, and the accounts that are deleted, disabled or without a session.
  package func ended(
    sessions: Set<SessionID>, users: Set<Int64>
  ) async throws -> (sessions: Set<SessionID>, users: Set<Int64>) {
    let (living, able) = try await (
      inParts(sessions) { try $0.sessions($1.map(\.number)) }, inParts(users) { try $0.signedIn(among: $1) }
    )
    return (sessions.subtracting(living), users.subtracting(able))
  }

  /// Queries many ids in parts, because databases limit the values in one statement.
  private func inParts<ID: Sendable>(
    _ ids: Set<ID>, _ ask: @escaping @Sendable (Transaction, [ID]) throws -> [ID]
  ) async throws -> [ID] {
    let (ids, part) = (Array(ids), 500)
    var answers: [ID] = []
    for start in stride(from: 0, to: ids.count, by: part) {
      let asked = Array(ids[start..<min(start + part, ids.count)])
      answers += try await database.read { try ask($0, asked) }
    }
    return answers
  }

  /// The session of a refresh token, expired or not. Throws `.noSuchSession`.
  package func session(refreshToken: String, edition: String) async throws -> RefreshableSession {
    let hash = RefreshToken.hash(refreshToken)
    return try await database.read { transaction in
      guard let session = try transaction.session(refreshHash: hash, edition: edition) else {
        throw Failure(.noSuchSession, "the refresh token is unknown or was revoked")
      }
      return session
    }
  }

  /// Throws `.refreshExpired` or `.accountGone` if the session cannot be refreshed.
  package func requireRefreshable(_ session: RefreshableSession) throws {
    guard session.refreshExpiresAt > clock.now else {
      throw Failure(.refreshExpired, "the refresh token has expired")
    }
    guard session.user != nil else { throw Failure(.accountGone, "the account no longer exists") }
  }

  /// Records that a session was refreshed.
  package func noteRefresh(of session: SessionID) async throws {
    try await database.write(ignoresStop: true) { [now = clock.now] in try $0.touchSession(session.number, now: now) }
  }

  /// How long an expired session is distinguished from an unknown one, in milliseconds.
  private static let expiredSessionLifetime: Int64 = 90 * 24 * 3_600_000

  /// Deletes sessions that expired long ago, one page at a time.
  package func removeExpiredSessions() async throws {
    while try await database.write({ [before = clock.now - Self.expiredSessionLifetime] transaction in
      try transaction.deleteSessions(expiredBefore: before, limit: 500)
    }) == 500 {}
  }

  /// Ends a session: its tokens become invalid and its device token is deleted.
  package func signOut(_ principal: Principal, from origin: Origin) async throws {
    try await write(as: principal, ignoresStop: true) { [self] transaction, caller in
      guard try end(session: caller.session.number, of: caller.id, in: transaction) else { return }
      try audit(
        AuditEntry(
          kind: .signOut, actor: .account(caller.id), account: caller.id, subject: caller.person.email, origin: origin,
          detail: ["session": "\(caller.session.number)"]), in: transaction)
    }
  }

  /// Ends all sessions of the caller's account.
  package func signOutEverywhere(_ principal: Principal, from origin: Origin) async throws {
    try await write(as: principal, ignoresStop: true) { [self] transaction, caller in
      try transaction.lock(user: caller.id)
      let ended = try endSessions(of: caller.id, in: transaction)
      try audit(
        AuditEntry(
          kind: .signOut, actor: .account(caller.id), account: caller.id, subject: caller.person.email, origin: origin,
          detail: ["sessions": "\(ended)"]), in: transaction)
    }
  }

  /// Ends a session; with the account's last session its addresses are deleted too. False if the session does not exist.
  func end(session: Int64, of user: Int64, in transaction: Transaction) throws -> Bool {
    // Locked, so that of two sessions that end at once, one is the last.
    try transaction.lock(user: user)
    guard try transaction.deleteSession(session) else { return false }
    if try transaction.hasSession(user) {
      try note(.sessionEnded(session), in: transaction)
    } else {
      try transaction.forgetAddresses(of: user)
      try note(.sessionsEnded(user: user, through: session), in: transaction)
    }
    return true
  }

  /// Ends all sessions of an account and returns how many it had. Also deletes its addresses.
  @discardableResult
  func endSessions(of user: Int64, in transaction: Transaction) throws -> Int {
    try transaction.forgetAddresses(of: user)
    let ended = try transaction.deleteSessions(of: user)
    // Noted even without a session, because sockets may have been admitted by address.
    try note(.sessionsEnded(user: user, through: ended.max() ?? 0), in: transaction)
    return ended.count
  }

  /// Stores the push token of the caller's session unchanged; an empty one clears it. Throws `.invalid`.
  package func setDeviceToken(_ token: String, of principal: Principal) async throws {
    let token = try TextRules.deviceToken(token)
    try await write(as: principal, ignoresStop: true) { [now = clock.now] transaction, caller in
      try transaction.setDeviceToken(token, session: caller.session.number, now: now)
      if let token { try transaction.takeDeviceToken(token, for: caller.id) }
    }
  }
}
