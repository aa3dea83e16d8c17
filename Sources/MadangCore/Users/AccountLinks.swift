import Storage

/// The kinds of links that are mailed to accounts.
enum AccountLink: CaseIterable, Sendable {
  /// The form for a new password.
  case passwordReset
  /// The page that confirms the account's address.
  case confirmation

  /// The period in which the links of one account are counted, in milliseconds.
  var window: Int64 {
    switch self {
    case .passwordReset: 3_600_000
    case .confirmation: 24 * 3_600_000
    }
  }

  var page: LinkPage {
    switch self {
    case .passwordReset: .password
    case .confirmation: .confirm
    }
  }

  var mailKind: MailKind {
    switch self {
    case .passwordReset: .passwordReset
    case .confirmation: .addressConfirmation
    }
  }

  var auditKind: AuditKind {
    switch self {
    case .passwordReset: .passwordResetSent
    case .confirmation: .confirmationSent
    }
  }
}

extension Settings {
  /// How long a link is valid, in milliseconds.
  func lifetime(of link: AccountLink) -> Int64 {
    switch link {
    case .passwordReset: Madang.passwordResetLifetime
    case .confirmation: registration.confirmationLifetime
    }
  }

  /// How many links one account, or one mailbox, may get within their window.
  fileprivate func limit(of link: AccountLink) -> Int {
    switch link {
    case .passwordReset: passwords.resets
    case .confirmation: registration.confirmationMails
    }
  }
}

extension Madang {
  /// Mails a link to an account. False if its limit is reached. Throws ``MailLeftOut``.
  @discardableResult
  func send(
    _ link: AccountLink, to person: Person, _ letter: KeyPath<MailWords, MailWords.Letter>, by actor: AuditActor,
    from origin: Origin, in transaction: Transaction
  ) throws -> Bool {
    let (user, now) = (person.id.number, clock.now)
    guard try transaction.links(link, to: person, since: now - link.window) < settings.limit(of: link) else {
      return false
    }
    let code = LinkCode(ids)
    let end = now + settings.lifetime(of: link)
    let mail = Mail(
      link.mailKind, to: person.email, letter, for: origin.languages, settings,
      ["link": settings.link(to: link.page, code)])
    try queue(mail, of: user, expiresAt: end, in: transaction)
    try transaction.insertLink(link, to: person, codeHash: code.hash, now: now, until: end)
    try audit(
      AuditEntry(kind: link.auditKind, actor: actor, account: user, subject: person.email, origin: origin),
      in: transaction)
    return true
  }

  /// The account of a code, which stays valid. Throws `.notFound`.
  func account(of link: AccountLink, code: String) async throws -> Account {
    guard LinkCode.hasForm(code),
      let account = try await database.read({ [now = clock.now] in
        try $0.account(of: link, LinkCode.hash(code), now: now)
      })
    else { throw Self.unknownLink }
    return account
  }

  /// Uses up a code and all other codes of its account for the same kind of link. Throws `.notFound`.
  func use(_ link: AccountLink, code: String, in transaction: Transaction) throws -> Person {
    guard let person = try transaction.useLink(link, LinkCode.hash(code), now: clock.now) else {
      throw Self.unknownLink
    }
    return person
  }

  private static var unknownLink: Failure { Failure(.notFound, "the link is unknown, was used or has expired") }

  /// Deletes codes that have expired and no longer count towards a limit, one page at a time.
  package func forgetLinks() async throws {
    let page = 500
    for link in AccountLink.allCases {
      let before = clock.now - max(link.window, settings.lifetime(of: link))
      while try await database.write({ try $0.deleteLinks(link, before: before, limit: page) }) == page {}
    }
  }
}
