import Storage

/// An account that was deleted.
package struct DeletedAccount: Sendable {
  package let record: AccountRecord
  /// The person's id at Kakao; nil if the account did not sign in with Kakao. The id is not stored.
  package let kakaoSubject: String?
}

extension Madang {
  /// Deletes an account: its memberships, sessions, device tokens, addresses, known places, invitations, queued mails, picture and all
  /// personal data in its row. The row itself stays without a name, because chats in rooms of others refer to it; payments and the ledger
  /// stay for bookkeeping. The address becomes free for a new account. Channels that the account owned go to the owners of their
  /// workspaces.
  ///
  /// Throws `.noSuchUser`; `.mustHandOver` if the account owns workspaces; `.held` if it is a member of, or has written in, a workspace on
  /// legal hold.
  package func deleteAccount(email: String, by administrator: Administrator) async throws -> DeletedAccount {
    try await deleteAccount(email: email, by: administrator, because: nil) { _, _ in }
  }

  /// Deletes an account that waits for approval. Throws like ``deleteAccount(email:by:)``, and `.invalid` if the account does not wait.
  package func rejectAccount(email: String, by administrator: Administrator) async throws -> DeletedAccount {
    try await deleteAccount(email: email, by: administrator, because: "not approved") { transaction, person in
      try transaction.requirePending(person)
    }
  }

  private func deleteAccount(
    email: String, by administrator: Administrator, because reason: String?,
    _ check: @escaping @Sendable (Transaction, Person) throws -> Void
  ) async throws -> DeletedAccount {
    try await database.write { [self] transaction in
      // The lock keeps other transactions from adding the account to a workspace.
      let person = try transaction.lockedPerson(email: email)
      try check(transaction, person)
      let kakao = try transaction.kakaoSubject(of: person.id.number)
      let record = try delete(person, by: .administrator(administrator), because: reason, in: transaction)
      return DeletedAccount(record: record, kakaoSubject: kakao)
    }
  }

  /// Deletes an account whose row is locked.
  /// - Parameters:
  ///   - reason: For the audit log; nil if the deletion itself was what the actor wanted.
  ///   - time: Sign-in tokens of Apple or Kakao that were issued before this time make no new account; nil for now.
  func delete(
    _ person: Person, by actor: AuditActor, because reason: String? = nil, revokedAt time: Int64? = nil,
    in transaction: Transaction
  ) throws -> AccountRecord {
    let (user, now) = (person.id.number, clock.now)
    let workspaces = try transaction.workspaces(of: user)
    try Self.requireNoOwner(person, of: workspaces)
    // A hold that starts now in one of these workspaces waits until this transaction commits.
    for workspace in workspaces { try transaction.lock(workspace: workspace.id.number) }
    if let name = try transaction.holdOn(user) {
      throw Failure(
        .held, "'\(name)', where \(person.email) is a member or has written, is on legal hold; release it first")
    }
    for workspace in workspaces {
      let locked = try transaction.lockedWorkspace(.number(workspace.id.number), of: user)
      // The workspace may have been handed over to this account a moment ago.
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
  /// How long a deleted account is remembered to reject older tokens of Apple or Kakao, in milliseconds. Apple's tokens are valid for a
  /// day.
  private static let deletedSignInLifetime: Int64 = 24 * 3_600_000

  /// Deletes expired records of deleted accounts' sign-ins, one page at a time.
  package func forgetDeletedSignIns() async throws {
    let page = 500
    while try await database.write({ [before = clock.now - Self.deletedSignInLifetime] transaction in
      try transaction.deleteDeletedSignIns(before: before, limit: page)
    }) == page {}
  }
}
