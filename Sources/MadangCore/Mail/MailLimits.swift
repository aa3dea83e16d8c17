import Storage

extension Madang {
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 24 * hour

  /// When the day began, in UTC.
  var today: Int64 { clock.now - clock.now % Self.day }

  /// Counts a mail among those of its account today, and of all this hour. Throws ``MailLeftOut``, counting nothing.
  func count(_ mail: Mail, of account: Int64?, in transaction: Transaction) throws {
    let (perAccount, perHour) = (settings.accountMails, mail.share(of: settings.hourlyMails))
    if let account, perAccount > 0 {
      // Held: of mails queued at once, each sees those before it.
      try transaction.hold(user: account)
      guard try transaction.mailCount(of: account, nil, since: today) < perAccount else { throw MailLeftOut(.account) }
    }
    if perHour > 0 {
      let hour = clock.now - clock.now % Self.hour
      guard try transaction.mailCount(of: nil, nil, since: hour) < perHour else { throw MailLeftOut(.hour) }
      // All servers change this row: it is held for the COMMIT only. Those of one COMMIT may so be more than the limit.
      transaction.lastly(at: LastStepPlace(kind: "mails of an hour", number: hour)) { transaction, _ in
        try transaction.countMail(of: nil, nil, since: hour)
      }
    }
    if let account, perAccount > 0 { try transaction.countMail(of: account, nil, since: today) }
  }

  /// Deletes counts that limit nothing any more, some at a time.
  package func forgetMailCounts() async throws {
    let page = 500
    while try await database.write({ [before = today] in try $0.deleteMailCounts(before: before, limit: page) }) == page
    {}
  }
}
