/// Conditions of which administrators are alerted by mail. The names are stored.
package enum AlarmKind: String, CaseIterable, Sendable {
  /// A disk is nearly full.
  case disk
  /// The server's certificate has expired or will expire soon.
  case certificate
  /// The newest backup is too old.
  case backup
  /// A push service rejects the configured credentials.
  case push
  /// The payment provider rejects the configured credentials.
  case payments
  /// No mail could be delivered for a long time.
  case mails
  /// Many sign-ins failed.
  case signIns

  /// Whether each server has an alarm of its own: each has its own disk.
  var isOfServer: Bool {
    switch self {
    case .disk, .certificate, .push, .payments, .mails: true
    case .backup, .signIns: false
    }
  }

  var words: String {
    switch self {
    case .disk: "The disk is nearly full"
    case .certificate: "The certificate ends"
    case .backup: "There is no fresh backup"
    case .push: "The push service refuses the settings"
    case .payments: "The payment provider refuses the settings"
    case .mails: "Mails are not accepted"
    case .signIns: "Many sign-ins fail"
    }
  }
}

/// The current state of a condition.
package enum AlarmFinding: Sendable {
  case right
  /// What is wrong, and what the operator can do about it.
  case wrong(String, cure: String)
}

/// An open alarm.
struct Alarm: Sendable {
  let kind: String
  /// The server's name; empty for conditions that all servers share.
  let place: String
  /// Milliseconds since 1970.
  let beganAt: Int64
  /// When administrators were last alerted, in milliseconds since 1970.
  let toldAt: Int64
}
