import MadangCore
import MadangProviders

/// What administrators are notified of by mail.
public struct AlarmWatchSettings: Sendable {
  public var backupDays = setting(
    "alarms.backup.days", 2, .integer(0...3650),
    "days the newest backup may be old before they are told; 0 for any number")
  public var signIns = setting(
    "alarms.sign.ins", 200, .integer(0...3600), "failed sign-ins in an hour of which they are told; 0 for none")
  public var interval: Duration = .seconds(60)

  public init() {}
}

extension ServerSettings {
  static let maxAlarmRecipients = 10

  /// What is wrong with these settings, each with a cure.
  func alarmProblems() -> [String] {
    guard !domain.alarms.recipients.isEmpty else { return [] }
    var problems = domain.alarms.recipients.filter { MailAddress($0) == nil }.map {
      "alarms.to: '\($0)' is no address for mails; write some like you@example.com,me@example.com"
    }
    if domain.alarms.recipients.count > Self.maxAlarmRecipients {
      problems.append("alarms.to: must have \(Self.maxAlarmRecipients) addresses or fewer; name a mailing list")
    }
    if mail.server.isEmpty && !isDevelopment {
      problems.append("alarms.to: no mails are sent; set mail.smtp and mail.from, or leave it out")
    }
    return problems
  }
}
