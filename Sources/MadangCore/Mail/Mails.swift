import Storage

extension Madang {
  /// The longest time between two attempts, or that a claim holds, in milliseconds.
  package static let longestMailPause: Int64 = 3_600_000

  /// Has a mail sent after the commit, unless it was not taken by `expiresAt`. Throws ``MailLeftOut``.
  /// - Parameter account: Whose mail it is, which counts among those of the account; nil for one to an administrator.
  func queue(_ mail: Mail, of account: Int64?, expiresAt: Int64, in transaction: Transaction) throws {
    let limit = mail.share(of: settings.mailing.queue)
    guard try transaction.waitingMails(limit: limit) < limit else { throw MailLeftOut(.queue) }
    if MailKind(rawValue: mail.kind)?.isLimited ?? true { try count(mail, of: account, in: transaction) }
    try transaction.insertMail(mail, now: clock.now, expiresAt: expiresAt)
    transaction.afterCommit { [announce] in announce(.mailQueued) }
  }

  /// The same for a mail without which all else happens all the same. False if it is left out.
  @discardableResult
  func queueIfPossible(_ mail: Mail, of account: Int64?, expiresAt: Int64, in transaction: Transaction) throws -> Bool {
    do {
      try queue(mail, of: account, expiresAt: expiresAt, in: transaction)
      return true
    } catch let leftOut as MailLeftOut {
      note(leftOut, in: transaction)
      return false
    }
  }

  /// Tells that a mail is left out of what the transaction does.
  func note(_ leftOut: MailLeftOut, in transaction: Transaction) {
    transaction.afterCommit { [announce] in announce(.mailLeftOut(leftOut.reason)) }
  }

  /// The same in a transaction of its own, for a mail that belongs to no account.
  /// - Parameter lifetime: Milliseconds within which it is sent or given up.
  package func queue(_ mail: Mail, lifetime: Int64) async throws {
    try await database.write { [self] in try queue(mail, of: nil, expiresAt: clock.now + lifetime, in: $0) }
  }

  /// Takes some mails that are due. Each is to be finished or put off; when its claim is over, it is taken again.
  /// - Parameter duration: Milliseconds that the claim holds, at most ``longestMailPause``.
  package func claimMails(limit: Int, for duration: Int64) async throws -> [ClaimedMail] {
    let due = try await database.read { [now = claimTime] in try $0.dueMails(at: now, limit: limit) }
    guard !due.isEmpty else { return [] }
    return try await database.write(heedsStop: false) { [now = claimTime, dialect = database.dialect] in
      try $0.claimMails(due, at: now, for: duration, dialect)
    }
  }

  /// A mail was taken, or is given up: nothing of it is kept.
  package func finish(_ claimed: ClaimedMail) async throws {
    try await database.write(heedsStop: false) { try $0.deleteMail(claimed) }
  }

  /// Has a mail tried again after a pause in milliseconds, at most ``longestMailPause``.
  /// - Parameter isUnanswered: It may have been taken.
  package func putOff(_ claimed: ClaimedMail, for pause: Int64, isUnanswered: Bool = false) async throws {
    let unanswered = claimed.unanswered + (isUnanswered ? 1 : 0)
    try await database.write(heedsStop: false) { [now = claimTime] in
      try $0.putOffMail(claimed, until: "\(sql: now) + \(pause)", unanswered: unanswered)
    }
  }

  /// Gives up mails that are too old. Answers how many there were.
  package func dropMails() async throws -> Int {
    let page = 500
    var dropped = 0
    while true {
      let count = try await database.write(heedsStop: false) { [now = clock.now] in
        try $0.deleteMails(expiredBy: now, limit: page)
      }
      dropped += count
      guard count == page else { return dropped }
    }
  }

  /// How many mails wait, counted up to the queue's limit.
  package func waitingMails() async throws -> Int {
    try await database.read { [limit = settings.mailing.queue] in try $0.waitingMails(limit: limit) }
  }
}
