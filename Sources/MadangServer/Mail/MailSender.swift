import MadangCore

/// Brings mails on their way.
protocol MailSender: Sendable {
  /// Returns when the mail was taken. Throws ``MailRefused`` if it never will be, ``MailUnanswered`` if it may have been; any other
  /// error may pass.
  func send(_ mail: ClaimedMail) async throws
}

/// The whole mail was sent, and nobody said whether it was taken.
struct MailUnanswered: Error {
  /// For the log.
  let reason: String
}

/// The recipient's address cannot be written to, or the mail is not taken for them.
struct MailRefused: Error {
  /// For the log; never of the mail's text.
  let reason: String
  /// Whether the mail server was asked, and so works.
  let isByServer: Bool
}
