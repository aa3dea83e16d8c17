import Storage

extension Madang {
  /// Administrators in the order of their numbers.
  package func administrators() async throws -> [AdministratorRecord] {
    try await database.read { try $0.administrators() }
  }

  /// Runs the body in a transaction in which the administrator's session lives and their password is the typed one. Throws
  /// ``AdministratorRefusal``: `.credentials`, `.wait`, `.signedOut`; and errors of the body.
  func write<Success: Sendable>(
    as session: AdministratorSession, password: String, at address: String,
    _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await write(as: session, try await prove(session, password, at: address), body)
  }

  /// A session whose password was typed and is right.
  private struct Proof: Sendable {
    let passwordHash: String
    /// What ``countTry(at:from:)`` counted.
    let tries: [String]
  }

  private func prove(
    _ session: AdministratorSession, _ password: String, at address: String
  ) async throws -> Proof {
    let found = try await database.read { try $0.requireAdministrator(session) }
    let key = TextRules.administratorKey(found.name) ?? ""
    let tries = try await countTry(at: key, from: address)
    guard
      try await isRight(
        password, found.passwordHash, of: key, among: passwordCosts, turn: Self.network(of: address))
    else {
      try await database.write(ignoresStop: true) { [self] transaction in
        try auditRefusal(at: found.name, from: address, "wrong password in a session", of: session, in: transaction)
      }
      throw AdministratorRefusal.wrongPassword
    }
    return Proof(passwordHash: found.passwordHash, tries: tries)
  }

  private func write<Success: Sendable>(
    as session: AdministratorSession, _ proof: Proof, _ body: @escaping @Sendable (Transaction) throws -> Success
  ) async throws -> Success {
    try await database.write(ignoresStop: true) { transaction in
      guard try transaction.requireAdministrator(session).passwordHash == proof.passwordHash else {
        throw AdministratorRefusal.wrongPassword
      }
      try transaction.forgetTries(proof.tries)
      return try body(transaction)
    }
  }

  /// Sets another password, and ends the administrator's other sessions and the links that they made. Throws ``AdministratorRefusal``:
  /// `.credentials`, `.weak`, `.wait`, `.signedOut`.
  package func changePassword(
    of session: AdministratorSession, from old: String, to new: String, at address: String
  ) async throws {
    let new = try Self.newAdministratorPassword(new)
    let proof = try await prove(session, old, at: address)
    // Only now, so that wrong passwords cause no hashing.
    let hash = try await hash(password: new, turn: Self.network(of: address))
    try await write(as: session, proof) { [self] transaction in
      try transaction.setAdministratorPassword(hash, of: session.account, now: clock.now)
      let ended = try transaction.deleteAdministratorSessions(of: session.account, but: session.number)
      try transaction.deleteAdministratorLinks(of: session.account)
      try audit(
        .administratorChanged, session.name, by: session.actor(at: address),
        ["what": "password", "sessions": "\(ended)"], in: transaction)
    }
  }

  /// A new secret for an authenticator app, in Base32. It waits in this session for its first code; until then the old one counts. Throws
  /// ``AdministratorRefusal``: `.credentials`, `.wait`, `.signedOut`.
  package func beginSecondStep(
    of session: AdministratorSession, password: String, at address: String
  ) async throws -> String {
    let secret = SecondStep(secret: ids.bytes(SecondStep.size))
    let stored = try secret.stored(key: settings.stepKey)
    try await write(as: session, password: password, at: address) { [self] transaction in
      try transaction.setPendingStep(
        stored, until: clock.now + settings.administrators.pendingLifetime, of: session.number)
    }
    return secret.base32
  }

  /// Replaces the second step by the secret that waits, if the code is one of it. The former secret and recovery codes end. Wrong
  /// codes count like wrong passwords; at too many the secret is dropped. Throws ``AdministratorRefusal``: `.code`, `.wait`, `.signedOut`.
  /// - Returns: New recovery codes.
  package func finishSecondStep(
    of session: AdministratorSession, code: String, at address: String
  ) async throws -> [String] {
    let now = clock.now
    let pending = try await database.read { try $0.pendingStep(of: session.number, now: now) }
    let tries: [String]
    do { tries = try await countTry(at: TextRules.administratorKey(session.name) ?? "", from: address) } catch {
      if let pending {
        _ = try await database.write(ignoresStop: true) { try $0.takePendingStep(pending, of: session.number) }
      }
      throw error
    }
    guard let pending, let secret = SecondStep(stored: pending, key: settings.stepKey),
      let step = secret.number(of: TypedCode(code).digits, at: now)
    else {
      try await database.write(ignoresStop: true) { [self] transaction in
        try auditRefusal(
          at: session.name, from: address, "wrong code for a new second step", of: session, in: transaction)
      }
      throw AdministratorRefusal.code
    }
    let codes = try await makeRecoveryCodes(turn: Self.network(of: address))
    try await database.write(ignoresStop: true) { [self] transaction in
      _ = try transaction.requireAdministrator(session)
      try transaction.forgetTries(tries)
      guard try transaction.takePendingStep(pending, of: session.number) else { throw AdministratorRefusal.code }
      try transaction.replaceSecondStep(by: pending, usedUp: step, codes.hashes, of: session.account)
      try audit(
        .administratorChanged, session.name, by: session.actor(at: address), ["what": "second step"], in: transaction)
    }
    return codes.shown
  }

  /// Removes an administrator, whose sessions and links end at once. The last one cannot be removed here. Throws ``AdministratorRefusal``:
  /// `.credentials`, `.wait`, `.last`, `.notFound`, `.signedOut`.
  package func removeAdministrator(
    _ number: Int64, password: String, by session: AdministratorSession, at address: String
  ) async throws {
    try await write(as: session, password: password, at: address) { [self] transaction in
      // Of two administrators who remove each other at once, the second waits here.
      try transaction.lockAdministrators()
      _ = try transaction.requireAdministrator(session)
      guard try transaction.administratorCount() > 1 else {
        throw AdministratorRefusal(
          .last, "the last administrator is removed with 'madang admin web remove', so that the console stays reachable"
        )
      }
      guard let name = try transaction.deleteAdministrator(number) else {
        throw AdministratorRefusal(.notFound, "administrator \(number) does not exist")
      }
      try audit(.administratorRemoved, name, by: session.actor(at: address), [:], in: transaction)
    }
  }

  /// Removes an administrator, also the last one. Throws ``Failure`` `.notFound`.
  package func removeAdministrator(named name: String, byOperator actor: Administrator) async throws
    -> AdministratorRecord
  {
    try await database.write(ignoresStop: true) { [self] transaction in
      guard let key = TextRules.administratorKey(name), let number = try transaction.administrator(key: key)?.number,
        let record = try transaction.administrators().first(where: { $0.number == number }),
        try transaction.deleteAdministrator(number) != nil
      else { throw Failure(.notFound, "there is no administrator '\(name)'; see 'madang admin web list'") }
      try audit(.administratorRemoved, record.name, by: actor, [:], in: transaction)
      return record
    }
  }
}
