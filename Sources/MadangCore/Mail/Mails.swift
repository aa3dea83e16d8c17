import Storage

extension Madang {
  /// The longest pause between two attempts, and the longest claim, in milliseconds.
  package static let longestMailPause: Int64 = 3_600_000

  /// Queues a mail, which is sent after the commit and given up after `expiresAt`. Throws ``MailLeftOut``.
  /// - Parameter account: The account whose limits count; nil for a mail to an administrator.
  func queue(_ mail: Mail, of account: Int64?, expiresAt: Int64, in transaction: Transaction) throws {
    let limit = mail.share(of: settings.mailing.queue)
    guard try transaction.waitingMails(limit: limit) < limit else { throw MailLeftOut(.queue) }
    if MailKind(rawValue: mail.kind)?.isLimited ?? true { try count(mail, of: account, in: transaction) }
    try transaction.insertMail(mail, now: clock.now, expiresAt: expiresAt)
    transaction.afterCommit { [announce] in announce(.mailQueued) }
  }

  /// Queues a mail that is optional for the operation. False if it is left out.
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

  /// Announces after the commit that a mail was left out.
  func note(_ leftOut: MailLeftOut, in transaction: Transaction) {
    transaction.afterCommit { [announce] in announce(.mailLeftOut(leftOut.reason)) }
  }

  /// Queues a mail that belongs to no account, in a transaction of its own.
  /// - Parameter lifetime: After this time the mail is given up, in milliseconds.
  package func queue(_ mail: Mail, lifetime: Int64) async throws {
    try await database.write { [self] in try queue(mail, of: nil, expiresAt: clock.now + lifetime, in: $0) }
  }

  /// Claims some mails that are due. Each must be finished or put off; otherwise it becomes free when its claim ends.
  /// - Parameter duration: The length of the claim in milliseconds, at most ``longestMailPause``.
  package func claimMails(limit: Int, for duration: Int64) async throws -> [ClaimedMail] {
    let due = try await database.read { [now = claimTime] in try $0.dueMails(at: now, limit: limit) }
    guard !due.isEmpty else { return [] }
    return try await database.write(ignoresStop: true) {
      [now = claimTime, dialect = database.dialect, face = settings.face] in
      try $0.claimMails(due, at: now, for: duration, dialect) { MailHTML($0, face).text }
    }
  }

  /// Deletes a mail that was delivered or is given up.
  package func finish(_ claimed: ClaimedMail) async throws {
    try await database.write(ignoresStop: true) { try $0.deleteMail(claimed) }
  }

  /// Schedules another attempt after a pause in milliseconds, at most ``longestMailPause``.
  /// - Parameters:
  ///   - isUnanswered: Whether the mail server gave no answer, so that the mail may have been delivered.
  ///   - reason: Why the attempt failed; nil if it was only interrupted. Stored for administrators, up to 200 characters.
  package func putOff(
    _ claimed: ClaimedMail, for pause: Int64, isUnanswered: Bool = false, because reason: String?
  ) async throws {
    let unanswered = claimed.unanswered + (isUnanswered ? 1 : 0)
    try await database.write(ignoresStop: true) { [now = claimTime] in
      try $0.putOffMail(
        claimed, until: "\(sql: now) + \(pause)", unanswered: unanswered,
        error: reason.map { String($0.filter { $0 != "\0" }.prefix(200)) })
    }
  }

  /// Deletes expired mails, and returns how many.
  package func dropMails() async throws -> Int {
    let page = 500
    var dropped = 0
    while true {
      let count = try await database.write(ignoresStop: true) { [now = clock.now] in
        try $0.deleteMails(expiredBy: now, limit: page)
      }
      dropped += count
      guard count == page else { return dropped }
    }
  }

  /// Mails that wait, and how many were queued in this hour.
  package func mailOverview(limit: Int) async throws -> MailOverview {
    try await database.read { [self] transaction in
      MailOverview(
        waiting: try transaction.waitingMails(limit: settings.mailing.queue),
        mails: try transaction.waitingMailRecords(limit: limit),
        hour: try transaction.mailCount(of: nil, nil, since: thisHour))
    }
  }

  /// When the mail that waits longest was queued, in milliseconds since 1970; nil if none waits.
  package func oldestMail() async throws -> Int64? { try await database.read { try $0.oldestMail() } }

  /// How many mails wait, counted up to the queue's limit.
  package func waitingMails() async throws -> Int {
    try await database.read { [limit = settings.mailing.queue] in try $0.waitingMails(limit: limit) }
  }
}
