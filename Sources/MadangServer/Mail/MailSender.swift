import MadangCore

/// Brings mails on their way.
protocol MailSender: Sendable {
  /// Returns when the mail was taken. Throws ``MailRefused`` if it never will be; any other error may pass.
  func send(_ mail: ClaimedMail) async throws
}

/// The recipient's address cannot be written to, or the mail is not taken for them.
struct MailRefused: Error {
  /// For the log; never of the mail's text.
  let reason: String
}
