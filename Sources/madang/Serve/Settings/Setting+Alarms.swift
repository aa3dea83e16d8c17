import Foundation
import MadangServer

extension Setting {
  static let alarms: [Setting] = [
    Setting(
      key: "alarms.to",
      help: "addresses told by mail what is wrong with the installation: you@example.com,me@example.com",
      read: { text, loaded throws(Invalid) in
        loaded.settings.alarmRecipients = text.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
      }, show: { $0.settings.alarmRecipients.joined(separator: ",") }),
    integer(
      "alarms.every", "hours after which they are told once more what is still wrong", \.settings.alarmHours, 1...720),
    integer(
      "alarms.backup.days", "days the newest backup may be old before they are told; 0 for any number",
      \.settings.alarmBackupDays, 0...3650),
    integer(
      "alarms.sign.ins", "failed sign-ins in an hour of which they are told; 0 for none", \.settings.alarmSignIns,
      0...3600),
  ]
}
