import Storage

/// An account that waits for confirmation, as shown to the holder of a link.
package struct UnconfirmedAccount: Sendable {
  /// The key by which attempts at its password are limited.
  package let emailKey: String
  /// The nickname that was given at sign-up.
  package let nickname: String
  /// Milliseconds since 1970.
  package let createdAt: Int64
}

extension Madang {
  /// Mails another confirmation link to an address. Does nothing, without an error, if no account with this address waits for confirmation,
  /// or if the mailbox has reached its daily limit. Throws ``MailLeftOut``.
  package func sendConfirmation(to email: String, from address: String, languages: String? = nil) async throws {
    guard settings.registration.confirmation != .off, let email = try? TextRules.email(email) else { return }
    try await database.write { [self] transaction in
      guard let person = try transaction.unconfirmedPerson(email) else { return }
      let origin = Origin(edition: "", address: address, languages: languages)
      try sendConfirmation(to: person, by: .unknownClient, from: origin, in: transaction)
    }
  }

  func sendConfirmation(to person: Person, by actor: AuditActor, from origin: Origin, in transaction: Transaction)
    throws
  {
    try send(.confirmation, to: person, \.confirmation, by: actor, from: origin, in: transaction)
  }

  /// The account that a link confirms. The link stays valid. Throws `.notFound`.
  package func accountToConfirm(code: String) async throws -> UnconfirmedAccount {
    let account = try await account(of: .confirmation, code: code)
    return UnconfirmedAccount(
      emailKey: TextRules.emailKey(account.person.email), nickname: account.person.nickname,
      createdAt: account.createdAt)
  }

  /// Confirms the address of a link's account. The caller must also know the password: if another person has signed up with this address,
  /// its owner does not know the password and must not confirm an account in which that person would act in the owner's name. Returns what
  /// the account still waits for. Throws `.notFound`; `.signInFailed` for a wrong password.
  /// - Parameter turn: Names the caller. Callers take turns at the hashing threads.
  package func confirmAddress(code: String, password: String, from address: String, turn: String) async throws
    -> Waiting?
  {
    // Retries if the password was changed, or its hash renewed, during the comparison.
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

  /// Confirms an account's address as an administrator. Throws `.noSuchUser`, or `.invalid` if it is confirmed already.
  package func confirmAddress(of email: String, by administrator: Administrator) async throws -> AccountRecord {
    try await database.write { [self] transaction in
      let person = try transaction.lockedPerson(email: email)
      let origin = Origin(edition: "", address: "")
      guard try noteConfirmed(person, by: .administrator(administrator), "administrator", from: origin, in: transaction)
      else {
        throw Failure(.invalid, "\(person.email) does not wait for a confirmation")
      }
      return try transaction.accountRecord(person.id.number)
    }
  }

  /// Records that an account's address belongs to its person. False if the account did not wait for that.
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
    try joinInvited(person, in: transaction)
    return true
  }
}
