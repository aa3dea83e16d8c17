import Storage

/// The purpose of a mail. The names are stored.
package enum MailKind: String, CaseIterable, Sendable {
  /// An administrator tests the delivery of mails.
  case test
  /// A link to choose a new password.
  case passwordReset
  /// A link to confirm the address.
  case addressConfirmation
  /// An administrator invites the address.
  case invitation
  /// An account waits for approval.
  case approvalNeeded
  /// An administrator has approved an account.
  case accountApproved
  /// A sign-in from a place from which the account was not used before.
  case newSignIn
  /// An alarm was raised or is over.
  case alarm

  /// Whether the mail counts towards the limits of an account and of all mails. The exceptions are sent even if unknown clients have used
  /// up these limits.
  var isLimited: Bool { ![.test, .alarm, .newSignIn].contains(self) }

  /// Mails that unknown clients can cause. They may use only half of the hourly limit.
  static let causedByUnknownClients: [MailKind] = [.addressConfirmation, .newSignIn]

  /// Mails to administrators. They stay queued when an account with the same address is deleted.
  static let toAdministrators: [MailKind] = [.test, .approvalNeeded, .alarm]

  /// Whether the recipient has an account, which is why the mail comes.
  var isToAccount: Bool { self != .invitation && !Self.toAdministrators.contains(self) }
}

/// A mail to one person.
package struct Mail: Sendable {
  /// Raw kind; may be unknown to this version.
  package let kind: String
  package let recipient: String
  package let subject: String
  /// Lines end with `\n`. May contain a secret, so it is never logged.
  package let body: String

  package init(_ kind: MailKind, to recipient: String, subject: String, body: String) {
    (self.kind, self.recipient, self.subject, self.body) = (kind.rawValue, recipient, subject, body)
  }

  /// This kind's share of the hourly limit.
  func share(of limit: Int) -> Int {
    MailKind.causedByUnknownClients.contains { $0.rawValue == kind } ? limit / 2 + limit % 2 : limit
  }

  init(_ row: Row) throws {
    kind = try row.get("kind")
    recipient = try row.get("recipient")
    subject = try row.get("subject")
    body = try row.get("body")
  }
}

/// A mail that waits, as administrators see it: without its text, which may contain a link that opens an account.
package struct WaitingMail: Sendable {
  package let number: Int64
  package let recipient: String
  /// Raw kind; may be unknown to this version.
  package let kind: String
  /// Milliseconds since 1970.
  package let queuedAt: Int64
  package let attempts: Int
  /// When it is tried next, in milliseconds since 1970, by the database's clock.
  package let nextAt: Int64
  /// Why the last attempt failed; nil if none did.
  package let error: String?
}

/// The queue of mails.
package struct MailOverview: Sendable {
  /// Counted up to the queue's limit.
  package let waiting: Int
  /// The oldest.
  package let mails: [WaitingMail]
  /// How many mails count towards the hourly limit.
  package let hour: Int
}

/// A mail that only this process tries to send until its claim ends.
package struct ClaimedMail: Sendable {
  package let id: Int64
  package let mail: Mail
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// The number of this attempt, from 1.
  package let attempt: Int
  /// How many earlier attempts got no answer; the mail may have been delivered that often.
  package let unanswered: Int
  /// The mail's text as HTML; empty for a mail of text only.
  package let html: String

  package init(id: Int64, mail: Mail, createdAt: Int64, attempt: Int, unanswered: Int = 0, html: String = "") {
    (self.id, self.mail, self.createdAt, self.html) = (id, mail, createdAt, html)
    (self.attempt, self.unanswered) = (attempt, unanswered)
  }

  /// - Parameter html: Makes HTML of the mail.
  init(_ row: Row, html: (Mail) -> String) throws {
    id = try row.get("id")
    mail = try Mail(row)
    self.html = html(mail)
    createdAt = try row.get("created_at")
    attempt = try row.get("attempts")
    unanswered = try row.get("unanswered")
  }
}

/// A mail is not sent because a limit is reached.
package struct MailLeftOut: Error {
  package enum Reason: Sendable {
    /// The queue is full.
    case queue
    /// The account's daily limit.
    case account
    /// The hourly limit.
    case hour
  }

  package let reason: Reason

  init(_ reason: Reason) { self.reason = reason }
}
