import Storage

/// Which session it is. The number alone does not last: a database that was restored, or that took over without the last
/// rows, gives numbers out again, and what stood for the lost session must not stand for the new one.
package struct SessionID: Hashable, Sendable {
  package let number: Int64
  /// When it began, in milliseconds since 1970.
  package let begun: Int64

  package init(number: Int64, begun: Int64) { (self.number, self.begun) = (number, begun) }
}

/// What a sign-in creates. The refresh token is shown once: the server keeps only its hash.
package struct SignedIn: Sendable {
  package let account: Account
  package let session: SessionID
  package let refreshToken: String
  /// Whether the account was made by it.
  package let isNew: Bool
}

/// A live session as a refresh finds it.
package struct Session: Sendable {
  package let id: SessionID
  package let refreshExpiresAt: Int64
  /// Nil once the account is gone.
  package let user: Int64?
}

extension Madang {
  /// How the audit log calls signing in with a password.
  static let passwordMethod = "password"

  /// Starts a session by e-mail and password. Throws `.signInFailed` for an unknown e-mail, a wrong password, an account with
  /// another sign-in method and one whose address has to be confirmed before alike.
  ///
  /// - Parameter turn: Whose turn at the hashing threads it takes; those of one caller wait behind each other.
  package func signIn(email: String, password: String, deviceToken: String?, from origin: Origin, turn: String)
    async throws -> SignedIn
  {
    let deviceToken = try TextRules.deviceToken(deviceToken)
    let key = try Self.emailKey(email)
    // Again if the password was changed, or its hash renewed, while it was compared.
    for _ in 0..<3 {
      let found = try await database.read { try $0.credentials(key) }
      let verification = try await verify(password, against: found?.passwordHash, of: key, turn: turn)
      if case .wrong = verification { throw Failure(.signInFailed, "wrong e-mail or password") }
      guard let found else { throw Failure(.signInFailed, "wrong e-mail or password") }
      let refresh = RefreshToken(ids)
      let signedIn: SignedIn? = try await database.write(heedsStop: false) { [self] transaction in
        // Locked: a change of the password ends all sessions, and none may begin by the old password after that.
        try transaction.lock(user: found.user)
        guard try transaction.credentials(key)?.passwordHash == found.passwordHash else { return nil }
        try requireSignInAllowed(found.user, in: transaction)
        if case .renewed(let hash) = verification {
          try transaction.storePassword(hash, of: found.user, insteadOf: found.passwordHash)
        }
        let session = try startSession(
          of: found.user, edition: origin.edition, refresh, deviceToken: deviceToken, in: transaction)
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

  /// Starts a session of an account without its password, for tests of clients. Throws `.signInFailed` if it is disabled.
  package func beginSession(of user: Int64, edition: String) async throws -> SessionID {
    let refresh = RefreshToken(ids)
    return try await database.write(heedsStop: false) { [self] transaction in
      try transaction.lock(user: user)
      return try startSession(of: user, edition: edition, refresh, deviceToken: nil, in: transaction)
    }
  }

  /// How many sessions beyond `accountSessions` one sign-in ends, where an earlier version allowed more.
  private static let maxEndings = 100

  /// Starts a session in a transaction that holds the account's row. If the account has more than `accountSessions`, the sessions that were
  /// not refreshed for longest end, as by signing out. Throws `.signInFailed` for a disabled account.
  func startSession(
    of user: Int64, edition: String, _ refresh: RefreshToken, deviceToken: String?, in transaction: Transaction
  ) throws -> SessionID {
    let now = clock.now
    let session = try transaction.insertSession(
      user: user, edition: edition, refreshHash: refresh.hash,
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

  /// What makes two e-mails one account's, however they are written. Throws `.invalid`.
  package static func emailKey(_ email: String) throws -> String { TextRules.emailKey(try TextRules.email(email)) }

  /// Who acts through a session. Throws `.noSuchSession` if it ended, `.accountGone` if its account did.
  package func caller(session: SessionID, edition: String) async throws -> Caller {
    try await database.read { try $0.run(.caller(session: session, edition: edition)) }
  }

  /// The session of this number. Throws `.noSuchSession`.
  package func session(_ number: Int64) async throws -> SessionID {
    guard let found = try await database.read({ try $0.sessions([number]).first }) else {
      throw Failure(.noSuchSession, "the session has ended")
    }
    return found
  }

  /// The same, unless the session's refresh token has expired: for what stands for the session without a time of its own.
  package func caller(livingSession session: SessionID, edition: String) async throws -> Caller {
    try await database.read { [now = clock.now] transaction in
      let caller = try transaction.run(.caller(session: session, edition: edition))
      try transaction.requireUnexpired(session.number, now: now)
      return caller
    }
  }

  /// Those of the sessions that are over, and those of the accounts that are gone, disabled or without a session.
  package func ended(
    sessions: Set<SessionID>, users: Set<Int64>
  ) async throws -> (sessions: Set<SessionID>, users: Set<Int64>) {
    let (living, able) = try await (
      inParts(sessions) { try $0.sessions($1.map(\.number)) }, inParts(users) { try $0.able($1) }
    )
    return (sessions.subtracting(living), users.subtracting(able))
  }

  /// Asks about many ids, some of them at a time: databases take only so many values in one statement.
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

  /// The session a refresh token belongs to, expired or not. Throws `.noSuchSession`.
  package func session(refreshToken: String, edition: String) async throws -> Session {
    let hash = RefreshToken.hash(refreshToken)
    return try await database.read { transaction in
      guard let session = try transaction.session(refreshHash: hash, edition: edition) else {
        throw Failure(.noSuchSession, "the refresh token is unknown or was revoked")
      }
      return session
    }
  }

  /// Throws `.refreshExpired` or `.accountGone` if the session cannot be refreshed.
  package func requireRefreshable(_ session: Session) throws {
    guard session.refreshExpiresAt > clock.now else {
      throw Failure(.refreshExpired, "the refresh token has expired")
    }
    guard session.user != nil else { throw Failure(.accountGone, "the account does not exist any more") }
  }

  /// Notes that a session was refreshed.
  package func noteRefresh(of session: Session) async throws {
    try await database.write(heedsStop: false) { [now = clock.now] in try $0.touchSession(session.id.number, now: now) }
  }

  /// How long an expired session is told from an unknown one, in milliseconds.
  private static let expiredSessionLifetime: Int64 = 90 * 24 * 3_600_000

  /// Deletes sessions that expired long ago, some at a time.
  package func removeExpiredSessions() async throws {
    while try await database.write({ [before = clock.now - Self.expiredSessionLifetime] transaction in
      try transaction.deleteSessions(expiredBefore: before, limit: 500)
    }) == 500 {}
  }

  /// Ends a session: its tokens are unknown from now on and its device token is forgotten.
  package func signOut(_ principal: Principal, from origin: Origin) async throws {
    try await write(as: principal, heedsStop: false) { [self] transaction, caller in
      guard try end(session: caller.session.number, of: caller.id, in: transaction) else { return }
      try audit(
        AuditEntry(
          kind: .signOut, actor: .account(caller.id), account: caller.id, subject: caller.person.email, origin: origin,
          detail: ["session": "\(caller.session.number)"]), in: transaction)
    }
  }

  /// With its last session an account's addresses are forgotten, too. False if there is no such session.
  func end(session: Int64, of user: Int64, in transaction: Transaction) throws -> Bool {
    // One after the other: of the last two, one is the last.
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

  /// Ends all sessions of an account and answers how many there were. No address identifies it any more, either.
  @discardableResult
  func endSessions(of user: Int64, in transaction: Transaction) throws -> Int {
    try transaction.forgetAddresses(of: user)
    let ended = try transaction.deleteSessions(of: user)
    // Without a session, too: sockets may have come by an address.
    try note(.sessionsEnded(user: user, through: ended.max() ?? 0), in: transaction)
    return ended.count
  }

  /// Stores the push token of the caller's session, verbatim; an empty one clears it. Throws `.invalid`.
  package func setDeviceToken(_ token: String, of principal: Principal) async throws {
    let token = try TextRules.deviceToken(token)
    try await write(as: principal, heedsStop: false) { [now = clock.now] transaction, caller in
      try transaction.setDeviceToken(token, session: caller.session.number, now: now)
      if let token { try transaction.takeDeviceToken(token, for: caller.id) }
    }
  }
}
