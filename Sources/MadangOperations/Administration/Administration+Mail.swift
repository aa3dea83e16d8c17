import MadangCore
import MadangProviders

/// A mail that an administrator has queued.
public struct QueuedMail: Encodable, Sendable {
  public let to: String
}

extension Administration {
  /// Queues a test mail, which a running server sends.
  public func sendTestMail(to address: String) async throws -> QueuedMail {
    try requireMail()
    guard MailAddress(address) != nil else {
      throw AdministrationError(description: "'\(address)' is not a mail address; write one like you@example.com")
    }
    let mail = Mail(.test, to: address, \.test, madang.settings)
    do { try await madang.queue(mail, lifetime: settings.mail.lifetime) } catch let leftOut as MailLeftOut {
      throw refusal(leftOut)
    }
    return QueuedMail(to: address)
  }

  /// Queues a mail with a link to set a new password for an account.
  public func sendPasswordReset(to email: String) async throws -> AccountSummary {
    try requireMail()
    do {
      return AccountSummary(try await madang.sendPasswordReset(to: email, by: administrator))
    } catch let leftOut as MailLeftOut { throw refusal(leftOut) }
  }

  private func refusal(_ leftOut: MailLeftOut) -> AdministrationError {
    let words =
      switch leftOut.reason {
      case .queue:
        "\(settings.mailing.queue) mails wait already (mail.queue); the server's log shows why the mail server does not accept them"
      case .account:
        "the account got \(settings.mailing.accountDay) mails today (mail.account.day); raise that limit, or wait until tomorrow (UTC)"
      case .hour:
        "\(settings.mailing.hour) mails were sent this hour (mail.hour); raise that limit, or wait until the next full hour"
      }
    return AdministrationError(description: words)
  }

  private func requireMail() throws {
    if settings.mail.server.isEmpty {
      throw AdministrationError(
        .noMail, description: "no mails are sent: set mail.smtp and mail.from for servers and for this command")
    }
  }
}
