import Storage

extension Madang {
  /// How long the link of a mail opens the form for another password, in milliseconds.
  package static let passwordResetLifetime: Int64 = 30 * 60_000
  /// The time in which ``Settings/passwordResets`` counts, in milliseconds.
  private static let passwordResetWindow: Int64 = 3_600_000

  /// Sends an account's address a link by which it gets another password. Nothing happens, and nothing is told, if no account that may
  /// sign in with a password has the address, or if it was sent as many as it may get in an hour. Throws ``MailQueueFull``.
  ///
  /// - Parameter link: The address of the page for a code.
  package func sendPasswordReset(
    to email: String, from address: String, link: @escaping @Sendable (LinkCode) -> String
  ) async throws {
    guard let email = try? TextRules.email(email) else { return }
    let origin = Origin(edition: "", address: address)
    try await database.write { [self] transaction in
      guard let person = try transaction.personWithPassword(email) else { return }
      try sendPasswordReset(to: person, by: .stranger, from: origin, link, in: transaction)
    }
  }

  /// The same for an administrator. Throws `.noSuchUser`, `.invalid` for an account that cannot sign in with a password or that was sent
  /// as many as it may get in an hour.
  package func sendPasswordReset(
    byAdministrator email: String, link: @escaping @Sendable (LinkCode) -> String
  ) async throws -> AccountRecord {
    try await database.write { [self] transaction in
      let person = try transaction.person(email: email)
      guard try transaction.personWithPassword(email) != nil else {
        throw Failure(.invalid, "\(email) is disabled, or signs in without a password")
      }
      let origin = Origin(edition: "", address: "")
      guard try sendPasswordReset(to: person, by: .administrator, from: origin, link, in: transaction) else {
        throw Failure(.invalid, "\(email) was sent \(settings.passwordResets) links within an hour (password.resets)")
      }
      return try transaction.accountRecord(person.id.number)
    }
  }

  /// False if the account gets no more.
  @discardableResult
  private func sendPasswordReset(
    to person: Person, by actor: AuditActor, from origin: Origin, _ link: (LinkCode) -> String,
    in transaction: Transaction
  ) throws -> Bool {
    let (user, now) = (person.id.number, clock.now)
    guard try transaction.passwordResets(of: user, since: now - Self.passwordResetWindow) < settings.passwordResets
    else {
      return false
    }
    let code = LinkCode(ids)
    let mail = Mail(
      .passwordReset, to: person.email, subject: "Your password",
      body: """
        Somebody, probably you, wants another password for the account of this address.

        Choose it here within 30 minutes:
        \(link(code))

        If it was not you, nothing has to be done: the password stays as it is.

        """)
    try queue(mail, expiresAt: now + Self.passwordResetLifetime, in: transaction)
    try transaction.insertPasswordReset(
      of: user, codeHash: code.hash, now: now, until: now + Self.passwordResetLifetime)
    try audit(
      AuditEntry(kind: .passwordResetSent, actor: actor, account: user, subject: person.email, origin: origin),
      in: transaction)
    return true
  }

  /// Throws `.notFound` unless the code of a link is good. It stays good.
  package func requirePasswordReset(code: String) async throws {
    guard LinkCode.hasForm(code),
      try await database.read({ [now = clock.now] in try $0.hasPasswordReset(LinkCode.hash(code), now: now) })
    else { throw Self.unknownReset }
  }

  /// Gives the account of a link's code another password, ends its sessions and all of its links. Throws `.notFound`, `.invalid`.
  /// - Parameter turn: Whose turn at the hashing threads it takes.
  package func resetPassword(code: String, to password: String, from address: String, turn: String) async throws {
    // Nobody without a code has anything hashed.
    try await requirePasswordReset(code: code)
    let hash = try await hash(password: try TextRules.newPassword(password), turn: turn)
    try await database.write { [self] transaction in
      guard let person = try transaction.usePasswordReset(LinkCode.hash(code), now: clock.now) else {
        throw Self.unknownReset
      }
      let user = person.id.number
      try transaction.setPassword(hash, of: user)
      try audit(
        AuditEntry(
          kind: .passwordChanged, actor: .account(user), account: user, subject: person.email,
          origin: Origin(edition: "", address: address),
          detail: ["by": "mail", "sessions": "\(try endSessions(of: user, in: transaction))"]), in: transaction)
    }
  }

  private static var unknownReset: Failure { Failure(.notFound, "the link is unknown, used or too old") }

  /// Deletes codes that neither open anything nor count any more, some at a time.
  package func forgetPasswordResets() async throws {
    let page = 500
    while try await database.write({ [before = clock.now - Self.passwordResetWindow] transaction in
      try transaction.deletePasswordResets(before: before, limit: page)
    }) == page {}
  }
}
