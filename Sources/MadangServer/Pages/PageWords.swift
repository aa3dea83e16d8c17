import MadangCore

/// The texts of pages of links in one language. Names in braces are filled in.
struct PageWords: Sendable {
  // Forms.
  let email: String
  let password: String
  let newPassword: String
  let passwordAgain: String
  let show: String
  let hide: String
  /// The rules of a password, as pills, and before them.
  let rules: String
  let rule: Rules
  /// Heard while typing: what is missing, in front of it; or that nothing is.
  let missing: String
  let met: String

  struct Rules: Sendable {
    let long: String
    let upper: String
    let lower: String
    let digit: String
    let sign: String
    let same: String
  }

  // Any page.
  let notAnAddress: String
  let noPassword: String
  let sendLink: String
  let sent: String
  let gone: String
  let foreign: Notice
  let tooMany: Notice
  let failed: Notice
  let readOnly: Notice
  let tryAgain: String
  let anotherMail: String
  let toPassword: String
  let toChat: String
  let toSignUp: String
  let toApp: String
  let inApp: String

  struct Notice: Sendable {
    let title: String
    let text: String
  }

  // A forgotten password.
  let forgot: Notice
  let forgotSent: String
  let choose: Notice
  let save: String
  let signsOut: String
  let badPassword: String
  let notSame: String
  let passwordGone: String
  let chosen: Notice

  // Confirmation of an address.
  let confirmMail: Notice
  let confirmSent: String
  let confirm: Notice
  let made: String
  let doConfirm: String
  let confirmOther: String
  let wrongPassword: String
  let confirmGone: String
  let confirmed: Notice
  let waits: String

  // An invitation.
  let inviteText: String
  let inviteAddress: String
  /// For people who have an account.
  let inviteKnown: String
  let inviteFull: String
  let inviteWorkspaceGone: String
  let accept: String
  let inviteGone: String
  let accepted: Notice

  static func of(_ language: Language) -> PageWords {
    switch language {
    case .korean: korean
    case .english: english
    }
  }
}
