/// What administrators are told of by mail. The names are stored.
package enum AlarmKind: String, CaseIterable, Sendable {
  /// A disk is nearly full.
  case disk
  /// The server's certificate ends soon, or has ended.
  case certificate
  /// The newest backup is too old.
  case backup
  /// A push service refuses what the settings say.
  case push
  /// The payment provider does.
  case payments
  /// No mail was taken for long.
  case mails
  /// Many sign-ins failed.
  case signIns

  /// Whether each server has its own, as it has a disk.
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
    case .mails: "Mails are not taken"
    case .signIns: "Many sign-ins fail"
    }
  }
}

/// How it is with something that administrators are told of.
package enum AlarmFinding: Sendable {
  case right
  /// What is wrong, and what whoever hosts can do about it.
  case wrong(String, cure: String)
}

/// An alarm that is not over.
struct Alarm: Sendable {
  let kind: String
  /// The server's name; empty for what all servers share.
  let place: String
  /// Milliseconds since 1970, as the other.
  let beganAt: Int64
  /// When administrators were told last.
  let toldAt: Int64
}
