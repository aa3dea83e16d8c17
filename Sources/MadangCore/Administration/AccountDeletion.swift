import Storage

/// An account that was deleted.
package struct DeletedAccount: Sendable {
  package let record: AccountRecord
  /// Kakao's id of the person; nil for an account that did not sign in with Kakao. It is not kept.
  package let kakaoSubject: String?
}

extension Madang {
  /// Deletes an account: its memberships, sessions, device tokens, addresses, places, invitations, waiting mails, picture, and everything
  /// in its row that is about the person. The row stays, without a name, for what it wrote in rooms of others; payments and the ledger stay for
  /// the books. Its address is free for a new account. Channels it owned go to the workspaces' owners.
  ///
  /// Throws `.noSuchUser`; `.mustHandOver` if it owns workspaces; `.held` if it belongs to one that is on legal hold.
  package func deleteAccount(email: String) async throws -> DeletedAccount {
    try await deleteAccount(email: email, because: nil) { _, _ in }
  }

  /// Deletes an account that waits for approval. Throws as ``deleteAccount(email:)``, and `.invalid` if it does not wait.
  package func rejectAccount(email: String) async throws -> DeletedAccount {
    try await deleteAccount(email: email, because: "not approved") { transaction, person in
      try transaction.requirePending(person)
    }
  }

  private func deleteAccount(
    email: String, because reason: String?, _ check: @escaping @Sendable (Transaction, Person) throws -> Void
  ) async throws -> DeletedAccount {
    try await database.write { [self] transaction in
      // Locked: nobody adds it to a workspace meanwhile.
      let person = try transaction.lockedPerson(email: email)
      try check(transaction, person)
      let kakao = try transaction.kakaoSubject(of: person.id.number)
      let record = try delete(person, by: .administrator, because: reason, in: transaction)
      return DeletedAccount(record: record, kakaoSubject: kakao)
    }
  }

  /// Deletes the account of somebody whose row is locked.
  /// - Parameters:
  ///   - reason: For the audit log; nil where somebody wants just that.
  ///   - time: Until when tokens of Apple or Kakao make no new account that were issued before; nil for now.
  func delete(
    _ person: Person, by actor: AuditActor, because reason: String? = nil, revokedAt time: Int64? = nil,
    in transaction: Transaction
  ) throws -> AccountRecord {
    let (user, now) = (person.id.number, clock.now)
    let workspaces = try transaction.workspaces(of: user)
    try Self.requireNoOwner(person, of: workspaces)
    // A hold of one of its workspaces that begins now waits until COMMIT.
    for workspace in workspaces { try transaction.lock(workspace: workspace.id.number) }
    if let name = try transaction.holdOn(user) {
      throw Failure(
        .held, "'\(name)', in which \(person.email) is or has written, is on legal hold; release it first")
    }
    for workspace in workspaces {
      let locked = try transaction.lockedWorkspace(.number(workspace.id.number), of: user)
      // It may have been handed over a moment ago.
      try Self.requireNoOwner(person, of: [locked])
      _ = try remove(user, from: locked, now: now, in: transaction)
    }
    let sessions = try endSessions(of: user, in: transaction)
    let account = try transaction.account(user)
    if account.coins > 0 {
      try transaction.addCoins(-account.coins, to: user, for: "account deleted", now: now)
    }
    try transaction.retire(person.picture, due: now)
    try transaction.deleteInvitations(of: TextRules.emailKey(person.email))
    for kind in AccountLink.allCases { try transaction.deleteLinks(kind, of: user) }
    try transaction.deleteMails(toAccountWith: person.email)
    try transaction.insertDeletedSignIn(of: user, revokedAt: time ?? now, now: now)
    try transaction.deletePlaces(of: user, beyond: 0)
    try transaction.deleteMailCounts(of: user)
    try transaction.makeAnonymous(user, as: ids.uuid(), nickname: settings.accounts.deletedName, now: now)
    var detail = ["workspaces": "\(workspaces.count)", "sessions": "\(sessions)", "coins": "\(account.coins)"]
    detail["why"] = reason
    try audit(
      AuditEntry(
        kind: .accountDeleted, actor: actor, account: user, subject: person.email, detail: AuditDetail(detail)),
      in: transaction)
    return try transaction.accountRecord(user)
  }

  private static func requireNoOwner(_ person: Person, of workspaces: [Workspace]) throws {
    let owned = workspaces.filter { $0.owner == person.id }.map { "'\($0.name)'" }
    guard !owned.isEmpty else { return }
    let others = owned.count > 5 ? " and \(owned.count - 5) more" : ""
    throw Failure(
      .mustHandOver,
      "\(person.email) owns \(owned.prefix(5).joined(separator: ", "))\(others); hand them over or delete them first")
  }
}

extension Madang {
  /// How long a deleted account's tokens of Apple or Kakao are known, in milliseconds: Apple's are good for a day.
  private static let deletedSignInLifetime: Int64 = 24 * 3_600_000

  /// Forgets whose accounts were deleted, some at a time.
  package func forgetDeletedSignIns() async throws {
    let page = 500
    while try await database.write({ [before = clock.now - Self.deletedSignInLifetime] transaction in
      try transaction.deleteDeletedSignIns(before: before, limit: page)
    }) == page {}
  }
}
