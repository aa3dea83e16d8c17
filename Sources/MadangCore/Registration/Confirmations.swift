import Storage

extension Madang {
  /// Sends the owner of an address another link to confirm it. Nothing happens, and nothing is told, if no account waits for that, or
  /// if it was sent as many as it may get in a day. Throws ``MailLeftOut``.
  package func sendConfirmation(to email: String, from address: String) async throws {
    guard settings.confirmation != .off, let email = try? TextRules.email(email) else { return }
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
      .confirmation, to: person, by: actor, from: origin, in: transaction
    ) { link in
      Mail(
        .addressConfirmation, to: person.email, subject: "Your address",
        body: """
          Somebody, probably you, made an account with this address at \(settings.publicURL).

          Confirm here that the address is yours:
          \(link)

          If it was not you, do nothing: an account that nobody confirms can do nothing to others, and is deleted after a while.

          """)
    }
  }

  /// Throws `.notFound` unless the code of a link is good. It stays good.
  package func requireConfirmation(code: String) async throws {
    try await require(.confirmation, code: code)
  }

  /// Confirms the address of a link's account. Throws `.notFound`.
  package func confirmAddress(code: String, from address: String) async throws {
    try await requireConfirmation(code: code)
    try await database.write { [self] transaction in
      let person = try use(.confirmation, code: code, in: transaction)
      try noteConfirmed(
        person, by: .account(person.id.number), "link", from: Origin(edition: "", address: address), in: transaction)
    }
  }

  /// Confirms an account's address in the name of an administrator. Throws `.noSuchUser`, `.invalid` if it was confirmed.
  package func confirmAddress(byAdministrator email: String) async throws -> AccountRecord {
    try await database.write { [self] transaction in
      let person = try transaction.heldPerson(email: email)
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
