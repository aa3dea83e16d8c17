import HTTPTypes
import MadangAPI
import MadangCore

/// The pages for a forgotten password, for apps have no such button: `/password` sends a link to an address, and the link leads to
/// `/password/CODE`. They need no API key and no script. Servers that send mails have them.
enum PasswordPage {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.addLinkRequests(
      for: .password, title: "Password", if: \.links.isOn,
      ask: "Enter the e-mail address of your account. We will send you a link.",
      done: "If there is an account with this address, a mail is on its way. Its link is valid for 30 minutes.")
    routes.add(page, at: "password/{code}", if: \.links.isOn) { received, code in
      try await received.service.madang.requirePasswordReset(code: code)
      return page.response(.ok, "Choose a new password. Then sign in again on all devices.", hasForm: true)
    } submit: { received, code in
      let (madang, client) = (received.service.madang, received.client)
      try await madang.requirePasswordReset(code: code)
      let password = try await received.body.fields().required(.password)
      try await madang.resetPassword(code: code, to: password, from: client.text, turn: client.network)
      return page.response(.ok, "Done. Sign in with the new password now.")
    }
  }

  private static let page = Page(
    "Password", asksFor: .newPassword, button: "Save",
    mistake: "A password needs 8 to 128 characters with an upper-case and a lower-case letter, a digit and a symbol. "
      + "Common ones, like Passw0rd! or Qwer1234!, are refused.",
    gone: "This link has been used or has expired. Request a new one.")
}
