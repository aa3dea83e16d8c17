import Storage

/// An account whose address waits to be confirmed, as whoever has the link is shown it.
package struct UnconfirmedAccount: Sendable {
  /// What tries of its password count for.
  package let emailKey: String
  /// As whoever has made it wrote it.
  package let nickname: String
  /// Milliseconds since 1970.
  package let createdAt: Int64
}

extension Madang {
  /// Sends the owner of an address another link to confirm it. Nothing happens, and nothing is told, if no account waits for that, or
  /// if its mailbox was sent as many as it may get in a day. Throws ``MailLeftOut``.
  package func sendConfirmation(to email: String, from address: String) async throws {
    guard settings.registration.confirmation != .off, let email = try? TextRules.email(email) else { return }
    try await database.write { [self] transaction in
      guard let person = try transaction.unconfirmedPerson(email) else { return }
      try sendConfirmation(
        to: person, by: .stranger, from: Origin(edition: "", address: address), in: transaction)
    }
  }

  func sendConfirmation(to person: Person, by actor: AuditActor, from origin: Origin, in transaction: Transaction)
    throws
  {
    try send(
      .confirmation, to: person, by: actor, from: origin, in: transaction, subject: "Your address"
    ) { link in
      """
      Somebody, probably you, made an account with this address at \(settings.publicURL).

      Confirm here that the address is yours, with the password of the account:
      \(link)

      If it was not you, do nothing: an account that nobody confirms can do nothing to others, and is deleted after a while.

      """
    }
  }

  /// The account whose address a link confirms. The link stays good. Throws `.notFound`.
  package func accountToConfirm(code: String) async throws -> UnconfirmedAccount {
    let account = try await account(of: .confirmation, code: code)
    return UnconfirmedAccount(
      emailKey: TextRules.emailKey(account.person.email), nickname: account.person.nickname,
      createdAt: account.createdAt)
  }

  /// Confirms the address of a link's account for somebody who has its password, too: the owner of the address does not have it if a
  /// stranger has made the account, who would act in their name. Answers what the account waits for all the same. Throws `.notFound`;
  /// `.signInFailed` for a wrong password.
  /// - Parameter turn: Whose turn at the hashing threads it takes.
  package func confirmAddress(code: String, password: String, from address: String, turn: String) async throws
    -> Waiting?
  {
    // Again if the password was changed, or its hash renewed, while it was compared.
    for _ in 0..<3 {
      let key = try await accountToConfirm(code: code).emailKey
      let found = try await database.read { try $0.credentials(key) }
      let verification = try await verify(password, against: found?.passwordHash, of: key, turn: turn)
      if case .wrong = verification { throw Failure(.signInFailed, "wrong password") }
      guard let found else { continue }
      let (isConfirmed, waiting) = try await database.write { [self] transaction -> (Bool, Waiting?) in
        try transaction.lock(user: found.user)
        guard try transaction.credentials(key)?.passwordHash == found.passwordHash else { return (false, nil) }
        let person = try use(.confirmation, code: code, in: transaction)
        let origin = Origin(edition: "", address: address)
        try noteConfirmed(person, by: .account(person.id.number), "link", from: origin, in: transaction)
        return (true, try limit(of: found.user, in: transaction))
      }
      if isConfirmed { return waiting }
    }
    throw Failure(.signInFailed, "the password was changed meanwhile")
  }

  /// Confirms an account's address in the name of an administrator. Throws `.noSuchUser`, `.invalid` if it was confirmed.
  package func confirmAddress(byAdministrator email: String) async throws -> AccountRecord {
    try await database.write { [self] transaction in
      let person = try transaction.lockedPerson(email: email)
      let origin = Origin(edition: "", address: "")
      guard try noteConfirmed(person, by: .administrator, "administrator", from: origin, in: transaction) else {
        throw Failure(.invalid, "\(person.email) does not wait for a confirmation")
      }
      return try transaction.accountRecord(person.id.number)
    }
  }

  /// Somebody has shown that an account's address is theirs. False if nobody waited for that.
  @discardableResult
  func noteConfirmed(
    _ person: Person, by actor: AuditActor, _ way: String, from origin: Origin, in transaction: Transaction
  ) throws -> Bool {
    guard try transaction.endUnconfirmed(person.id.number) else { return false }
    try transaction.endLinks(.confirmation, of: person.id.number)
    try audit(
      AuditEntry(
        kind: .addressConfirmed, actor: actor, account: person.id.number, subject: person.email, origin: origin,
        detail: ["by": way]), in: transaction)
    return true
  }
}
