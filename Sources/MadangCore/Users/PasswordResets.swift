import Storage

extension Madang {
  /// How long a password reset link is valid, in milliseconds.
  package static let passwordResetLifetime: Int64 = 30 * 60_000

  /// Mails a password reset link to an account's address. Does nothing, without an error, if no account that may sign in with a password
  /// has the address, or if the account's hourly limit is reached. Throws ``MailLeftOut``.
  package func sendPasswordReset(to email: String, from address: String, languages: String? = nil) async throws {
    guard let email = try? TextRules.email(email) else { return }
    let origin = Origin(edition: "", address: address, languages: languages)
    try await database.write { [self] transaction in
      guard let person = try transaction.personWithPassword(email) else { return }
      try sendPasswordReset(to: person, by: .unknownClient, from: origin, in: transaction)
    }
  }

  /// Mails a password reset link on behalf of an administrator. Throws `.noSuchUser`, or `.invalid` if the account cannot sign in with a
  /// password or its hourly limit is reached.
  package func sendPasswordReset(to email: String, by administrator: Administrator) async throws -> AccountRecord {
    try await database.write { [self] transaction in
      let person = try transaction.person(email: email)
      guard try transaction.personWithPassword(email) != nil else {
        throw Failure(
          .invalid, "\(email) is disabled ('madang admin users enable' ends that), or signs in with Apple or Kakao only"
        )
      }
      let origin = Origin(edition: "", address: "")
      guard try sendPasswordReset(to: person, by: .administrator(administrator), from: origin, in: transaction) else {
        throw Failure(.invalid, "\(email) was sent \(settings.passwords.resets) links within an hour (password.resets)")
      }
      return try transaction.accountRecord(person.id.number)
    }
  }

  /// False if the account's limit is reached.
  @discardableResult
  private func sendPasswordReset(
    to person: Person, by actor: AuditActor, from origin: Origin, in transaction: Transaction
  ) throws -> Bool {
    let isByOperator = if case .administrator = actor { true } else { false }
    return try send(
      .passwordReset, to: person, isByOperator ? \.passwordResetByOperator : \.passwordReset, by: actor, from: origin,
      in: transaction)
  }

  /// The address of the account whose password a link changes. The link stays valid. Throws `.notFound`.
  @discardableResult
  package func requirePasswordReset(code: String) async throws -> String {
    try await account(of: .passwordReset, code: code).person.email
  }

  /// Sets a new password for the account of a reset link, and ends the account's sessions and reset links. A client that has the link can
  /// read the account's mail, so the address is confirmed too. Throws `.notFound`, `.invalid`.
  /// - Parameter turn: Names the caller. Callers take turns at the hashing threads.
  package func resetPassword(code: String, to password: String, from address: String, turn: String) async throws {
    // Checked first, so that clients without a valid code cause no hashing.
    try await requirePasswordReset(code: code)
    let password = try TextRules.newPassword(password)
    guard !CommonPasswords.contains(password) else {
      throw Failure(.invalid, "password: is a common one, which attackers try first")
    }
    let hash = try await hash(password: password, turn: turn)
    try await database.write { [self] transaction in
      let person = try use(.passwordReset, code: code, in: transaction)
      let (user, origin) = (person.id.number, Origin(edition: "", address: address))
      try transaction.setPassword(hash, of: user)
      // Some of the places may belong to a thief.
      try transaction.agePlaces(of: user)
      try audit(
        AuditEntry(
          kind: .passwordChanged, actor: .account(user), account: user, subject: person.email, origin: origin,
          detail: ["by": "mail", "sessions": "\(try endSessions(of: user, in: transaction))"]), in: transaction)
      try noteConfirmed(person, by: .account(user), "password", from: origin, in: transaction)
    }
  }
}
