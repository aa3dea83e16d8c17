import Storage

extension Madang {
  /// Makes a new account wait for what the settings or its API key require, and mails the confirmation link. For every way to make an
  /// account, in the transaction that makes it.
  /// - Parameters:
  ///   - isVouchedFor: Whether a provider has verified that the address is the person's.
  ///   - sendsLink: Whether the link is mailed now. If not, the owner requests it later.
  func admitted(
    _ person: Person, isVouchedFor: Bool, sendsLink: Bool = true, from origin: Origin, in transaction: Transaction
  ) throws -> [Waiting] {
    var waitsFor: [Waiting] = []
    if settings.registration.confirmation != .off, !isVouchedFor {
      waitsFor.append(.confirmation)
      try transaction.setUnconfirmed(person.id.number, since: clock.now)
      do {
        if sendsLink {
          try sendConfirmation(to: person, by: .account(person.id.number), from: origin, in: transaction)
        }
      } catch let leftOut as MailLeftOut {
        // The account is made without the mail; its owner can request another link.
        note(leftOut, in: transaction)
      }
    }
    if try needsApproval(origin, in: transaction) {
      waitsFor.append(.approval)
      try tellApprover(in: transaction)
      try transaction.setPending(person.id.number, since: clock.now)
    }
    return waitsFor
  }

  /// Mails administrators that an account waits for approval, at most once in an hour of the clock. Unknown clients can cause these mails;
  /// however often they sign up, the next hour brings another mail.
  private func tellApprover(in transaction: Transaction) throws {
    let now = clock.now
    guard settings.sendsMail, !settings.registration.approver.isEmpty,
      try !transaction.hasPending(from: now - now % Self.approvalMailPause, to: now)
    else { return }
    let mail = Mail(.approvalNeeded, to: settings.registration.approver, \.approvalNeeded, settings)
    try queueIfPossible(mail, of: nil, expiresAt: now + Self.noticeLifetime, in: transaction)
  }

  private static let approvalMailPause: Int64 = 3_600_000

  private func needsApproval(_ origin: Origin, in transaction: Transaction) throws -> Bool {
    guard let hash = origin.keyHash, let text = try transaction.rule(ofKey: hash)?.approval else {
      return settings.registration.needsApproval
    }
    // A mode that only a newer version knows requires approval.
    return Approval(rawValue: text) != .off
  }

  /// What the account waits for and is limited by; nil if it is not limited.
  func limit(of user: Int64, in transaction: Transaction) throws -> Waiting? {
    let waiting = try transaction.waiting(user)
    if waiting.isUnconfirmed && settings.registration.confirmation != .off { return .confirmation }
    return waiting.isPending ? .approval : nil
  }

  /// What a new account waits for before it may do everything; nil if it need not wait.
  package func waits(_ account: Account) async throws -> Waiting? {
    try await database.read { [self] in try limit(of: account.person.id.number, in: $0) }
  }

  /// Throws `.limited` if the account waits.
  func requireUnlimited(_ user: Int64, in transaction: Transaction) throws {
    switch try limit(of: user, in: transaction) {
    case .confirmation: throw Failure(.limited, "the account's address is not confirmed")
    case .approval: throw Failure(.limited, "no administrator has approved the account")
    case nil: return
    }
  }

  /// Throws `.signInFailed` if the account must confirm its address before it signs in.
  func requireSignInAllowed(_ user: Int64, in transaction: Transaction) throws {
    guard settings.registration.confirmation == .required, try transaction.waiting(user).isUnconfirmed else {
      return
    }
    throw Failure(.signInFailed, "the account's address is not confirmed")
  }

  // MARK: Approval

  /// One page of accounts that wait for approval, ordered by number.
  package func pendingAccounts(after number: Int64, limit: Int) async throws -> [AccountRecord] {
    try await database.read {
      try $0.pendingAccounts(after: number, limit: limit)
    }
  }

  /// Approves an account, and notifies its owner if mails are configured. Throws `.noSuchUser`, or `.invalid` if it does not wait for
  /// approval.
  package func approveAccount(email: String, by administrator: Administrator) async throws -> AccountRecord {
    try await changeAccount(email, .accountApproved, by: administrator) { [self] transaction, user, now in
      let person = try transaction.person(email: email)
      try transaction.requirePending(person)
      try transaction.endPending(user)
      try joinInvited(person, in: transaction)
      // Sent to confirmed addresses only: an unconfirmed one may belong to another person.
      guard settings.sendsMail, try limit(of: user, in: transaction) == nil else { return [:] }
      let mail = Mail(.accountApproved, to: person.email, \.accountApproved, settings)
      try queueIfPossible(mail, of: user, expiresAt: now + Self.noticeLifetime, in: transaction)
      return [:]
    }
  }

  /// How long a mail that is only information is tried before it is given up, in milliseconds.
  static let noticeLifetime: Int64 = 2 * 24 * 3_600_000

  // MARK: Accounts that wait for too long

  /// Deletes accounts whose addresses were not confirmed within ``RegistrationSettings/unconfirmedDays``, so that the owners of the
  /// addresses can sign up. Accounts that belong to a workspace, have paid or were disabled stay. Returns how many were deleted.
  package func deleteUnconfirmed() async throws -> Int {
    guard settings.registration.confirmation != .off else { return 0 }
    return try await deleteWaiting(
      for: .confirmation, days: settings.registration.unconfirmedDays, because: "address not confirmed")
  }

  /// Deletes accounts that were not approved within ``RegistrationSettings/pendingDays``, with the same exceptions. Returns how many.
  package func deletePending() async throws -> Int {
    try await deleteWaiting(
      for: .approval, days: settings.registration.pendingDays, because: "not approved in time")
  }

  /// Locks and returns the account that has an address without confirming it and that other accounts do not depend on; nil if there is
  /// none.
  func unconfirmedHolder(of email: String, in transaction: Transaction) throws -> Person? {
    guard settings.registration.confirmation != .off, let person = try transaction.unconfirmedPerson(email) else {
      return nil
    }
    try transaction.lock(user: person.id.number)
    return try transaction.isIdle(person.id.number, waitingFor: .confirmation, before: clock.now) ? person : nil
  }

  /// Restarts the period after which waiting accounts are deleted. Used after a time in which they could not be confirmed or approved.
  package func restartWait(for waiting: Waiting) async throws {
    let (page, now) = (500, clock.now)
    while try await database.write({ try $0.restartWait(waiting, at: now, limit: page) }) == page {}
  }

  /// - Parameter days: 0 for never.
  private func deleteWaiting(for waiting: Waiting, days: Int, because reason: String) async throws -> Int {
    guard days > 0 else { return 0 }
    let before = clock.now - Int64(days) * 24 * 3_600_000
    let page = 100
    var (last, deleted) = (Int64(0), 0)
    while true {
      let found = try await database.read { [last] in
        try $0.idleAccounts(waitingFor: waiting, before: before, after: last, limit: page)
      }
      for user in found {
        let isDeleted = try await database.write { [self] transaction in
          try transaction.lock(user: user)
          // Its wait may have ended a moment ago.
          guard try transaction.isIdle(user, waitingFor: waiting, before: before) else { return false }
          let person = try transaction.account(user).person
          _ = try delete(person, by: .server, because: reason, in: transaction)
          return true
        }
        if isDeleted { deleted += 1 }
      }
      guard found.count == page, let end = found.last else { return deleted }
      last = end
    }
  }
}
