import Storage

extension Madang {
  /// Signs an administrator in. Name, password and code are refused together, in equal time: neither can be tried alone. Throws
  /// ``AdministratorRefusal``: `.credentials`, `.recovery`, `.wait`.
  package func signIn(
    administrator name: String, password: String, code: String, from address: String
  ) async throws -> AdministratorSignIn {
    let (key, code) = (TextRules.administratorKey(name) ?? "", TypedCode(code))
    let turn = Self.network(of: address)
    let tries = try await countTry(at: key, from: address)
    // Retries if the password was changed, or its hash renewed, during the comparison.
    for _ in 0..<3 {
      let (found, costs, anyCode) = try await database.read { transaction in
        (
          try transaction.administrator(key: key), try transaction.administratorPasswordCosts(),
          try transaction.anyCodeHash()
        )
      }
      let isRight = try await isRight(password, found?.passwordHash, of: key, among: costs, turn: turn)
      var codeHash: String?
      if case .recovery(let text) = code {
        codeHash = try await hash(text, like: found?.codeHash ?? anyCode, turn: turn)
      }
      let attempt = Attempt(
        name: name, key: key, found: found, isRight: isRight, digits: code.digits, codeHash: codeHash,
        token: newToken(), address: address)
      let outcome = try await database.write(ignoresStop: true) { [self] transaction -> Attempt.Outcome in
        let outcome = try end(attempt, in: transaction)
        if case .signedIn = outcome { try transaction.forgetTries(tries) }
        return outcome
      }
      switch outcome {
      case .signedIn(let signIn):
        if let found { try await renewPassword(password, of: found, turn: turn) }
        return signIn
      case .refused: throw code.refusal
      case .changedMeanwhile: continue
      }
    }
    throw code.refusal
  }

  /// Only after a sign-in, because it takes time: an attempt with a wrong code must not reveal that the password is right.
  private func renewPassword(_ password: String, of found: AdministratorCredentials, turn: String) async throws {
    guard let hash = try await renewed(password, found.passwordHash, turn: turn) else { return }
    try await database.write(ignoresStop: true) {
      try $0.renewPassword(hash, of: found.number, insteadOf: found.passwordHash)
    }
  }

  /// A sign-in whose password was compared.
  private struct Attempt: Sendable {
    enum Outcome: Sendable {
      case signedIn(AdministratorSignIn)
      case refused
      case changedMeanwhile
    }

    let name: String
    let key: String
    /// The account when the comparison began.
    let found: AdministratorCredentials?
    let isRight: Bool
    let digits: Int?
    let codeHash: String?
    let token: String
    let address: String
  }

  private func end(_ attempt: Attempt, in transaction: Transaction) throws -> Attempt.Outcome {
    let found = try transaction.administrator(key: attempt.key)
    guard found?.passwordHash == attempt.found?.passwordHash else { return .changedMeanwhile }
    // Without an account too, so that both take the same time.
    let opened = found.flatMap { SecondStep(stored: $0.secondStep, key: settings.stepKey) }
    let secret = opened ?? SecondStep(secret: [UInt8](repeating: 0, count: SecondStep.size))
    let step = secret.number(of: attempt.digits, at: clock.now)
    guard let found, attempt.isRight else {
      try auditRefusal(
        at: attempt.name, from: attempt.address, found == nil ? "unknown name" : "wrong password", in: transaction)
      return .refused
    }
    guard try use(step: opened == nil ? nil : step, codeHash: attempt.codeHash, of: found, in: transaction) else {
      let why =
        opened == nil
        ? "the second step was sealed with another tokens.key: use a recovery code, or 'madang admin web'"
        : "wrong code"
      try auditRefusal(at: attempt.name, from: attempt.address, why, in: transaction)
      return .refused
    }
    if opened != nil, StoredSecret.isUnsealed(found.secondStep, key: settings.stepKey) {
      try transaction.setSecondStep(secret.stored(key: settings.stepKey), of: found.number)
    }
    let session = try beginSession(
      of: found.number, found.name, token: attempt.token, from: attempt.address, in: transaction)
    let way = attempt.codeHash == nil ? "authenticator" : "recovery code"
    try audit(.administratorSignedIn, found.name, by: session.actor(at: attempt.address), ["by": way], in: transaction)
    return .signedIn(AdministratorSignIn(session: session, token: attempt.token))
  }

  /// Uses up a step, or a recovery code. False if it does not count, or was used before.
  private func use(
    step: Int64?, codeHash: String?, of found: AdministratorCredentials, in transaction: Transaction
  ) throws -> Bool {
    if let step { return try transaction.useStep(step, of: found.number) }
    if let codeHash { return try transaction.useCode(codeHash, of: found.number) }
    return false
  }

  /// Begins a session in the transaction of a sign-in, and ends the oldest if there are too many.
  func beginSession(
    of account: Int64, _ name: String, token: String, from address: String, in transaction: Transaction
  ) throws -> AdministratorSession {
    let now = clock.now
    let number = try transaction.insertAdministratorSession(of: account, tokenHash: token.sha256, now: now)
    try transaction.deleteAdministratorSessions(of: account, beyond: settings.administrators.sessions)
    try transaction.noteSignIn(of: account, from: address, now: now)
    return AdministratorSession(number: number, account: account, name: name)
  }

  /// A new token of a session or a link.
  func newToken() -> String { ids.bytes(32).hex }

  /// The session of a token; nil if it is unknown or has ended.
  /// - Parameters:
  ///   - isActivity: Whether the call prolongs the session.
  ///   - idle: How long a session lasts without activity, in milliseconds.
  package func administratorSession(
    token: String, isActivity: Bool, idle: Int64
  ) async throws -> AdministratorSession? {
    guard token.utf8.count == 64, let found = try await database.read({ try $0.administratorSession(token.sha256) })
    else { return nil }
    let (now, limits) = (clock.now, settings.administrators)
    guard now - found.createdAt < limits.sessionLifetime, now - found.usedAt < idle else { return nil }
    // Begun or used while the clock was ahead: it would last until then.
    guard max(found.createdAt, found.usedAt) - now < limits.sessionLifetime else { return nil }
    if isActivity, now - found.usedAt >= min(limits.activityStep, idle / 2) {
      try await database.write(ignoresStop: true) { try $0.touchAdministratorSession(found.session.number, now: now) }
    }
    return found.session
  }

  package func signOut(_ session: AdministratorSession) async throws {
    try await database.write(ignoresStop: true) { try $0.deleteAdministratorSession(session.number) }
  }

  /// Deletes sessions, links and counts that have ended.
  package func forgetAdministratorRemains() async throws {
    try await database.write(ignoresStop: true) { [now = clock.now, limits = settings.administrators] transaction in
      try transaction.deleteAdministratorSessions(lasting: limits.sessionLifetime, now: now)
      try transaction.deleteAdministratorLinks(endedBy: now)
      try transaction.deleteTries(limits, now: now)
    }
  }
}
