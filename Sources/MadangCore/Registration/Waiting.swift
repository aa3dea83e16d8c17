import Storage

/// What an account may do whose owner has not confirmed its address.
public enum AddressConfirmation: String, CaseIterable, Sendable {
  /// Everything: nobody is asked.
  case off
  /// What concerns itself alone.
  case limited
  /// The same with the session it signed up with; it signs in no more before.
  case required
}

/// Whether a new account waits for an administrator.
package enum Approval: String, CaseIterable, Sendable {
  case on, off
}

/// What an account waits for. Until then it is limited to what concerns itself: it makes no workspace, nobody adds it to one, and so no
/// one meets it.
package enum Waiting: String, CaseIterable, Sendable {
  /// Its owner has not confirmed its address.
  case confirmation
  /// No administrator has approved it.
  case approval
}

extension Madang {
  /// Has a new account wait for what the settings, or its API key, ask for, and sends the link that confirms its address. For
  /// every way to make an account, in the transaction that makes it.
  /// - Parameters:
  ///   - isVouchedFor: Whether a provider says that the address is the person's.
  ///   - sendsLink: Whether the link is sent. Without it the owner asks for it later.
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
        // The account is there all the same, and another link is asked for later.
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

  /// Tells whoever approves accounts that one waits, unless another one that waits came in this hour of the clock: strangers cause these
  /// mails, and as often as they come, the next hour tells of them again.
  private func tellApprover(in transaction: Transaction) throws {
    let now = clock.now
    guard settings.sendsMail, !settings.registration.approver.isEmpty,
      try !transaction.hasPending(from: now - now % Self.approvalMailPause, to: now)
    else { return }
    let mail = Mail(
      .approvalNeeded, to: settings.registration.approver, subject: "An account waits for approval",
      body: """
        Somebody made an account at \(settings.publicURL) that waits for your approval. 'madang admin users pending' lists who waits; \
        there is no other mail of those who come before the hour is full.

        """)
    try queueIfPossible(mail, of: nil, expiresAt: now + Self.noticeLifetime, in: transaction)
  }

  /// Milliseconds.
  private static let approvalMailPause: Int64 = 3_600_000

  private func needsApproval(_ origin: Origin, in transaction: Transaction) throws -> Bool {
    guard let hash = origin.keyHash, let text = try transaction.rule(ofKey: hash)?.approval else {
      return settings.registration.needsApproval
    }
    // What only a newer version knows is not for this one to open.
    return Approval(rawValue: text) != .off
  }

  /// What limits an account; nil for one that is not.
  func limit(of user: Int64, in transaction: Transaction) throws -> Waiting? {
    let waiting = try transaction.waiting(user)
    if waiting.isUnconfirmed && settings.registration.confirmation != .off { return .confirmation }
    return waiting.isPending ? .approval : nil
  }

  /// Throws `.limited` for an account that waits.
  func requireUnlimited(_ user: Int64, in transaction: Transaction) throws {
    switch try limit(of: user, in: transaction) {
    case .confirmation: throw Failure(.limited, "the account's address is not confirmed")
    case .approval: throw Failure(.limited, "no administrator has approved the account")
    case nil: return
    }
  }

  /// Throws `.signInFailed` for an account that signs in only when its address was confirmed.
  func requireSignInAllowed(_ user: Int64, in transaction: Transaction) throws {
    guard settings.registration.confirmation == .required, try transaction.waiting(user).isUnconfirmed else {
      return
    }
    throw Failure(.signInFailed, "the account's address is not confirmed")
  }

  // MARK: Approval

  /// Accounts that wait for approval by their numbers, those after one, at most so many.
  package func pendingAccounts(after number: Int64, limit: Int) async throws -> [AccountRecord] {
    try await database.read {
      try $0.pendingAccounts(after: number, limit: limit)
    }
  }

  /// Approves an account that waits for it; where mails are sent, its owner is told. Throws `.noSuchUser`, `.invalid` if it does
  /// not wait.
  package func approveAccount(email: String) async throws -> AccountRecord {
    try await changeAccount(email, .accountApproved) { [self] transaction, user, now in
      let person = try transaction.person(email: email)
      try transaction.requirePending(person)
      try transaction.endPending(user)
      // Nobody whose address was never confirmed: it may be somebody else's.
      guard settings.sendsMail, try limit(of: user, in: transaction) == nil else { return [:] }
      let mail = Mail(
        .accountApproved, to: person.email, subject: "Your account",
        body: """
          Your account at \(settings.publicURL) was approved. You can be added to workspaces now, and make your own.

          """)
      try queueIfPossible(mail, of: user, expiresAt: now + Self.noticeLifetime, in: transaction)
      return [:]
    }
  }

  /// Milliseconds within which a mail that only tells something is sent or given up.
  static let noticeLifetime: Int64 = 2 * 24 * 3_600_000

  // MARK: Accounts that wait for too long

  /// Deletes accounts whose addresses were not confirmed for ``Settings/unconfirmedDays``, so that their owners can sign up. Those that
  /// belong to a workspace, have paid or were disabled stay. Answers how many there were.
  package func deleteUnconfirmed() async throws -> Int {
    guard settings.registration.confirmation != .off else { return 0 }
    return try await deleteWaiting(
      for: .confirmation, days: settings.registration.unconfirmedDays, because: "address not confirmed")
  }

  /// Deletes accounts that nobody approved for ``Settings/pendingDays``, with the same exceptions. Answers how many there were.
  package func deletePending() async throws -> Int {
    try await deleteWaiting(
      for: .approval, days: settings.registration.pendingDays, because: "not approved in time")
  }

  /// Who has an address without having confirmed it, and nothing that others need, locked; nil if nobody.
  func unconfirmedHolder(of email: String, in transaction: Transaction) throws -> Person? {
    guard settings.registration.confirmation != .off, let person = try transaction.unconfirmedPerson(email) else {
      return nil
    }
    try transaction.lock(user: person.id.number)
    return try transaction.isIdle(person.id.number, waitingFor: .confirmation, before: clock.now) ? person : nil
  }

  /// Has the days begin anew after which accounts are deleted that wait for something: while it could not come, they do not count.
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
