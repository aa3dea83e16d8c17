/// Delivers mails to a mail server.
package protocol MailSender: Sendable {
  /// Returns when the mail was accepted. Throws ``MailRefused`` if it will never be accepted, and ``MailUnanswered`` if it may have been
  /// accepted. Any other error may be temporary.
  func send(_ mail: ClaimedMail) async throws
}

/// The whole mail was sent, but the mail server did not answer.
package struct MailUnanswered: Error {
  /// For the log.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// The recipient's address is invalid, or the mail server refuses mail for it.
package struct MailRefused: Error {
  /// For the log. Contains nothing of the mail's text.
  package let reason: String
  /// Whether the mail server itself refused, which shows that it works.
  package let isByServer: Bool

  package init(reason: String, isByServer: Bool) { (self.reason, self.isByServer) = (reason, isByServer) }
}
