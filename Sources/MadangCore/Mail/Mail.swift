import Storage

/// Why a mail is sent. The names are stored.
package enum MailKind: String, CaseIterable, Sendable {
  /// An administrator tries whether mails arrive.
  case test
  /// A link by which an account gets another password.
  case passwordReset
  /// A link by which the owner of an address confirms it.
  case addressConfirmation
  /// An account waits for approval.
  case approvalNeeded
  /// An administrator has approved an account.
  case accountApproved
  /// Somebody signed in to an account from a place that it was not used from.
  case newSignIn
  /// Something is wrong with the installation, or not any more.
  case alarm

  /// Whether it counts among the mails that an account, and all together, may be sent. Strangers who use those up keep nobody from what
  /// administrators have sent, and no owner from hearing of a sign-in.
  var isLimited: Bool { ![.test, .alarm, .newSignIn].contains(self) }

  /// Strangers can cause these; they leave half of what all mails share to others.
  static let causedByStrangers: [MailKind] = [.addressConfirmation, .newSignIn]

  /// Those to administrators. They are kept when an account with the same address is deleted.
  static let toAdministrators: [MailKind] = [.test, .approvalNeeded, .alarm]
}

/// A mail to one person, in plain text.
package struct Mail: Sendable {
  /// Of ``MailKind``, unless a newer version has written it.
  package let kind: String
  package let recipient: String
  package let subject: String
  /// Lines end with `\n`. May hold a secret: it is in no log.
  package let body: String

  package init(_ kind: MailKind, to recipient: String, subject: String, body: String) {
    (self.kind, self.recipient, self.subject, self.body) = (kind.rawValue, recipient, subject, body)
  }

  /// How much of what all mails share this one may take.
  func share(of limit: Int) -> Int {
    MailKind.causedByStrangers.contains { $0.rawValue == kind } ? limit / 2 + limit % 2 : limit
  }

  init(_ row: Row) throws {
    kind = try row.get("kind")
    recipient = try row.get("recipient")
    subject = try row.get("subject")
    body = try row.get("body")
  }
}

/// A mail that this process tries to send; nobody else does until its claim ends.
package struct ClaimedMail: Sendable {
  package let id: Int64
  package let mail: Mail
  /// Milliseconds since 1970.
  package let createdAt: Int64
  /// Which try this is, from 1.
  package let attempt: Int
  /// How many tries before were not answered: it may have been taken as often.
  package let unanswered: Int

  package init(id: Int64, mail: Mail, createdAt: Int64, attempt: Int, unanswered: Int = 0) {
    (self.id, self.mail, self.createdAt) = (id, mail, createdAt)
    (self.attempt, self.unanswered) = (attempt, unanswered)
  }

  init(_ row: Row) throws {
    id = try row.get("id")
    mail = try Mail(row)
    createdAt = try row.get("created_at")
    attempt = try row.get("attempts")
    unanswered = try row.get("unanswered")
  }
}

/// A mail is not sent: there are as many as may be.
package struct MailLeftOut: Error {
  package enum Reason: Sendable {
    /// So many wait.
    case queue
    /// The account was sent so many today.
    case account
    /// So many were sent this hour.
    case hour
  }

  package let reason: Reason

  init(_ reason: Reason) { self.reason = reason }
}
