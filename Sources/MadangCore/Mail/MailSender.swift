/// Brings mails on their way.
package protocol MailSender: Sendable {
  /// Returns when the mail was taken. Throws ``MailRefused`` if it never will be, ``MailUnanswered`` if it may have been; any other
  /// error may pass.
  func send(_ mail: ClaimedMail) async throws
}

/// The whole mail was sent, and nobody said whether it was taken.
package struct MailUnanswered: Error {
  /// For the log.
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// The recipient's address cannot be written to, or the mail is not taken for them.
package struct MailRefused: Error {
  /// For the log; never of the mail's text.
  package let reason: String
  /// Whether the mail server was asked, and so works.
  package let isByServer: Bool

  package init(reason: String, isByServer: Bool) { (self.reason, self.isByServer) = (reason, isByServer) }
}
