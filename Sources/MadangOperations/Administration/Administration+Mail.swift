import MadangAPI
import MadangCore
import MadangProviders

/// The queue of mails.
public struct MailsSummary: Encodable, Sendable {
  public struct Hour: Encodable, Sendable {
    /// Queued since the full hour, without the kinds that have no limit.
    public let sent: Int
    /// 0 for any number.
    public let limit: Int
  }

  public struct Failure: Encodable, Sendable {
    public let since: String
    public let reason: String
  }

  /// A mail that waits. Neither its subject nor its text is shown: they have links that open an account.
  public struct Mail: Encodable, Sendable {
    public let number: Int64
    public let to: String
    /// Raw kind, such as `passwordReset`.
    public let kind: String
    public let queuedAt: String
    public let tries: Int
    public let nextAt: String
    /// Why the last try failed; nil if none did.
    public let error: String?
  }

  /// Whether mails are sent.
  public let sends: Bool
  public let waiting: Int
  public let server: String
  public let from: String
  public let hour: Hour
  /// The oldest mail that failed; nil if none waits for another try.
  public let failing: Failure?
  /// The oldest 200.
  public let mails: [Mail]

  init(_ overview: MailOverview, _ settings: ServerSettings, _ domain: Settings) {
    sends = !settings.mail.server.isEmpty
    waiting = overview.waiting
    // A text that is no server may be a password.
    server = settings.mail.endpoint == nil ? "" : settings.mail.server
    let name = settings.mail.name.isEmpty ? domain.face.name : settings.mail.name
    from = settings.mail.from.isEmpty ? "" : "\(name) <\(settings.mail.from)>"
    hour = Hour(sent: overview.hour, limit: domain.mailing.hour)
    mails = overview.mails.map {
      Mail(
        number: $0.number, to: $0.recipient, kind: $0.kind, queuedAt: WireDate.string($0.queuedAt), tries: $0.attempts,
        nextAt: WireDate.string($0.nextAt), error: $0.error)
    }
    failing = mails.lazy.compactMap { mail in mail.error.map { Failure(since: mail.queuedAt, reason: $0) } }.first
  }
}

extension Administration {
  /// The mails that wait.
  public func mails() async throws -> MailsSummary {
    MailsSummary(try await madang.mailOverview(limit: 200), settings, madang.settings)
  }
}

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

  func refusal(_ leftOut: MailLeftOut) -> AdministrationError {
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

  func requireMail() throws {
    if settings.mail.server.isEmpty {
      throw AdministrationError(
        .noMail, description: "no mails are sent: set mail.smtp and mail.from for servers and for this command")
    }
  }
}
