import MadangCore

extension ServerSettings {
  /// Addresses of those who are told by mail what is wrong with the installation; empty for nobody.
  public var alarmRecipients: [String] {
    get { domain.alarmRecipients }
    set { domain.alarmRecipients = newValue }
  }

  /// Hours after which they are told once more what is still wrong.
  public var alarmHours: Int {
    get { domain.alarmHours }
    set { domain.alarmHours = newValue }
  }

  static let maxAlarmRecipients = 10

  /// What is wrong with these settings, each with a cure.
  func alarmProblems() -> [String] {
    guard !alarmRecipients.isEmpty else { return [] }
    var problems = alarmRecipients.filter { MailAddress($0) == nil }.map {
      "alarms.to: '\($0)' is no address for mails; write some like you@example.com,me@example.com"
    }
    if alarmRecipients.count > Self.maxAlarmRecipients {
      problems.append("alarms.to: must have \(Self.maxAlarmRecipients) addresses or fewer; name a mailing list")
    }
    if mail.server.isEmpty && !isDevelopment {
      problems.append("alarms.to: no mails are sent; set mail.smtp and mail.from, or leave it out")
    }
    return problems
  }
}
