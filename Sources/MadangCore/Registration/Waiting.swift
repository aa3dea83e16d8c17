import Storage

/// What an account may do whose owner has not confirmed its address.
package enum Confirmation: String, CaseIterable, Sendable {
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
package enum Waiting: String, Sendable {
  /// Its owner has not confirmed its address.
  case confirmation
  /// No administrator has approved it.
  case approval
}

extension Madang {
  /// Has a new account wait for what the settings, or its API key, ask for, and sends the link that confirms its address. For
  /// every way to make an account, in the transaction that makes it.
  /// - Parameter isVouchedFor: Whether a provider says that the address is the person's.
  func admitted(_ person: Person, isVouchedFor: Bool, from origin: Origin, in transaction: Transaction) throws
    -> [Waiting]
  {
    var waitsFor: [Waiting] = []
    if settings.confirmation != .off, !isVouchedFor {
      waitsFor.append(.confirmation)
      try transaction.setUnconfirmed(person.id.number, since: clock.now)
      do {
        try sendConfirmation(to: person, by: .account(person.id.number), from: origin, in: transaction)
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

  /// Tells whoever approves accounts that one waits, unless another one that waits came within an hour: strangers cause these mails.
  private func tellApprover(in transaction: Transaction) throws {
    let now = clock.now
    guard settings.sendsMail, !settings.approver.isEmpty,
      try !transaction.hasPending(since: now - Self.approvalMailPause)
    else { return }
    let mail = Mail(
      .approvalNeeded, to: settings.approver, subject: "An account waits for approval",
      body: """
        Somebody made an account at \(settings.publicURL) that waits for your approval. 'madang admin users pending' lists who waits; \
        there is no other mail of those who come within an hour.

        """)
    try queueIfPossible(mail, of: nil, expiresAt: now + Self.noticeLifetime, in: transaction)
  }

  /// Milliseconds.
  private static let approvalMailPause: Int64 = 3_600_000

  private func needsApproval(_ origin: Origin, in transaction: Transaction) throws -> Bool {
    guard let hash = origin.keyHash, let text = try transaction.rule(ofKey: hash)?.approval else {
      return settings.needsApproval
    }
    // What only a newer version knows is not for this one to open.
    return Approval(rawValue: text) != .off
  }

  /// What limits an account; nil for one that is not.
  func limit(of user: Int64, in transaction: Transaction) throws -> Waiting? {
    let waiting = try transaction.waiting(user)
    if waiting.isUnconfirmed && settings.confirmation != .off { return .confirmation }
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
    guard settings.confirmation == .required, try transaction.waiting(user).isUnconfirmed else { return }
    throw Failure(.signInFailed, "the account's address is not confirmed")
  }

  // MARK: Approval

  /// Accounts that wait for approval by their numbers, those after one, at most so many.
  package func pendingAccounts(after number: Int64, limit: Int) async throws -> [AccountRecord] {
    try await database.read {
      try $0.accounts("u.pending_at IS NOT NULL AND u.deleted_at IS NULL AND u.id > \(number)", limit: limit)
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

  // MARK: Accounts that nobody confirms

  /// Deletes accounts whose addresses were not confirmed for ``Settings/unconfirmedDays``, so that their owners can sign up. Those that
  /// belong to a workspace, have paid or were disabled stay. Answers how many there were.
  package func deleteUnconfirmed() async throws -> Int {
    guard settings.confirmation != .off, settings.unconfirmedDays > 0 else { return 0 }
    let before = clock.now - Int64(settings.unconfirmedDays) * 24 * 3_600_000
    let page = 100
    var (last, deleted) = (Int64(0), 0)
    while true {
      let found = try await database.read { [last] in
        try $0.unconfirmedAccounts(before: before, after: last, limit: page)
      }
      for user in found {
        let isDeleted = try await database.write { [self] transaction in
          try transaction.hold(user: user)
          // It may have been confirmed a moment ago.
          guard try transaction.unconfirmedAccounts(before: before, after: user - 1, limit: 1).first == user else {
            return false
          }
          let person = try transaction.account(user).person
          _ = try delete(person, by: .server, because: "address not confirmed", in: transaction)
          return true
        }
        if isDeleted { deleted += 1 }
      }
      guard found.count == page, let end = found.last else { return deleted }
      last = end
    }
  }
}
