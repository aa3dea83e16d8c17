import Storage

extension Madang {
  private static let hour: Int64 = 3_600_000
  private static let day: Int64 = 24 * hour

  /// The start of the day, in UTC.
  var today: Int64 { clock.now - clock.now % Self.day }

  /// The start of the hour.
  var thisHour: Int64 { clock.now - clock.now % Self.hour }

  /// Counts a mail towards the account's daily limit and the hourly limit. Throws ``MailLeftOut`` without counting if one is reached.
  func count(_ mail: Mail, of account: Int64?, in transaction: Transaction) throws {
    let (perAccount, perHour) = (settings.mailing.accountDay, mail.share(of: settings.mailing.hour))
    if let account, perAccount > 0 {
      // Locked, so that of several mails queued at once each sees the earlier ones.
      try transaction.lock(user: account)
      guard try transaction.mailCount(of: account, nil, since: today) < perAccount else { throw MailLeftOut(.account) }
    }
    if perHour > 0 { try countOfHour(nil, limit: perHour, in: transaction) }
    if let account, perAccount > 0 { try transaction.countMail(of: account, nil, since: today) }
  }

  /// Counts a mail about a sign-in towards the hourly limit of these mails. They have a count of their own, so that unknown clients cannot
  /// use up the limit of other mails with them, or their limit with other mails. Throws ``MailLeftOut``.
  func countSignInMail(in transaction: Transaction) throws {
    guard settings.mailing.hour > 0 else { return }
    try countOfHour(.newSignIn, limit: settings.mailing.hour, in: transaction)
  }

  /// All servers change this row, so it is locked only during the COMMIT. Mails of one COMMIT may therefore exceed the limit.
  private func countOfHour(_ kind: MailKind?, limit: Int, in transaction: Transaction) throws {
    let hour = thisHour
    guard try transaction.mailCount(of: nil, kind, since: hour) < limit else { throw MailLeftOut(.hour) }
    let row = SharedRow(kind: "mails of an hour \(kind?.rawValue ?? "")", number: hour)
    transaction.beforeCommit(changing: row) { transaction, _ in try transaction.countMail(of: nil, kind, since: hour) }
  }

  /// Deletes counts of past days, one page at a time.
  package func forgetMailCounts() async throws {
    let page = 500
    while try await database.write({ [before = today] in try $0.deleteMailCounts(before: before, limit: page) }) == page
    {}
  }
}
