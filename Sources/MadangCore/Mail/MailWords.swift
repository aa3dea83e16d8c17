/// The texts of mails in one language. Names in braces are filled in; all mails have `{name}` and `{address}` of the installation.
///
/// A line that is only a link belongs to the line before it, which is the link's label.
package struct MailWords: Sendable {
  package struct Letter: Sendable {
    package let subject: String
    package let body: String
  }

  package let test: Letter
  package let passwordReset: Letter
  package let passwordResetByOperator: Letter
  package let confirmation: Letter
  package let invitation: Letter
  package let approvalNeeded: Letter
  package let accountApproved: Letter
  package let newSignIn: Letter
  /// By Apple or Kakao.
  package let newSignInByProvider: Letter

  /// Why one gets a mail: an account, or a setting, names the address.
  package let toAccount: String
  package let toOperator: String

  let invited: InvitedSentences

  /// Who invites a person to what, as far as it is known.
  struct InvitedSentences: Sendable {
    let toServer: String
    let toWorkspace: String
    let toServerBy: String
    let toWorkspaceBy: String
  }

  package let unknown: String
  /// Kinds of devices by their English names.
  package let devices: [String: String]

  package static func of(_ language: Language) -> MailWords {
    switch language {
    case .korean: korean
    case .english: english
    }
  }
}
