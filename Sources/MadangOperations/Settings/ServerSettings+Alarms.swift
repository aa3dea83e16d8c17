import MadangCore
import MadangProviders

/// Problems that administrators get mails about.
public struct AlarmWatchSettings: Sendable {
  public var backupDays = setting(
    "alarms.backup.days", 2, .integer(0...3650),
    "days after which the newest backup counts as too old; 0 for never")
  public var signIns = setting(
    "alarms.sign.ins", 200, .integer(0...3600), "failed sign-ins in an hour that cause an alarm; 0 for no alarm")
  public var interval: Duration = .seconds(60)

  public init() {}
}

extension ServerSettings {
  static let maxAlarmRecipients = 10

  /// Problems of these settings, each with a cure.
  func alarmProblems() -> [String] {
    guard !domain.alarms.recipients.isEmpty else { return [] }
    var problems = domain.alarms.recipients.filter { MailAddress($0) == nil }.map {
      "alarms.to: '\($0)' is not a mail address; write addresses like you@example.com,me@example.com"
    }
    if domain.alarms.recipients.count > Self.maxAlarmRecipients {
      problems.append("alarms.to: must have \(Self.maxAlarmRecipients) addresses or fewer; name a mailing list")
    }
    if mail.server.isEmpty && !isDevelopment {
      problems.append("alarms.to: this server sends no mails; set mail.smtp and mail.from, or leave alarms.to out")
    }
    return problems
  }
}
