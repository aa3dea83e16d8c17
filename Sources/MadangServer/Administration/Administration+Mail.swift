import MadangCore

/// A mail that an administrator has queued.
public struct QueuedMail: Encodable, Sendable {
  public let to: String
}

extension Administration {
  /// Queues a mail by which whoever gets it sees that mails arrive; a running server sends it.
  public func sendTestMail(to address: String) async throws -> QueuedMail {
    try requireMail()
    guard MailAddress(address) != nil else {
      throw AdministrationError(description: "\(address) is no address for mails")
    }
    let mail = Mail(
      .test, to: address, subject: "Mails arrive",
      body: "This is a test mail of \(settings.mail.name) (\(settings.publicURL)). Nobody has to do anything.\n")
    do { try await madang.queue(mail, lifetime: settings.mail.lifetime) } catch is MailQueueFull {
      throw queueFull
    }
    return QueuedMail(to: address)
  }

  /// Queues a mail with a link by which an account gets another password.
  public func sendPasswordReset(to email: String) async throws -> AccountSummary {
    try requireMail()
    do {
      return AccountSummary(try await madang.sendPasswordReset(byAdministrator: email))
    } catch is MailQueueFull { throw queueFull }
  }

  private var queueFull: AdministrationError {
    AdministrationError(description: "\(settings.mailQueueLimit) mails wait already (mail.queue)")
  }

  private func requireMail() throws {
    if settings.mail.server.isEmpty {
      throw AdministrationError(
        description: "no mails are sent: set mail.smtp and mail.from for servers and for this command")
    }
  }
}
