import HTTPTypes
import MadangAPI
import MadangCore

/// The pages for a forgotten password, for apps have no such button: `/password` sends a link to an address, and the link leads to
/// `/password/CODE`. They need no API key. Servers that send mails have them.
enum PasswordPage {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.addLinkRequests(for: .password) {
      $0.forgot
    } sent: {
      $0.forgotSent
    }
    routes.add(troubles, for: .password, at: "password/{code}") { visit in
      let account = try await visit.madang.requirePasswordReset(code: visit.code)
      let fields = try await visit.received.body.fields()
      let password = try fields.required(.password)
      if case .text(let again) = fields["again"], again != password {
        var card = form(visit, of: account)
        card.trouble = visit.words.notSame
        return visit.answer(.badRequest, card)
      }
      try await visit.madang.resetPassword(
        code: visit.code, to: password, from: visit.client.text, turn: visit.client.network)
      return visit.answer(.ok, visit.notice(visit.words.chosen, visit.chat(visit.words.toChat), note: visit.app))
    }
  }

  private static let troubles = PageTroubles { visit in
    form(visit, of: try await visit.madang.requirePasswordReset(code: visit.code))
  } mistake: {
    $0.badPassword
  } gone: { visit in
    Card(
      title: visit.words.gone, text: visit.words.passwordGone,
      ways: visit.way(visit.words.anotherMail, to: .password, isMain: true))
  }

  private static func form(_ visit: PageVisit, of account: String) -> Card {
    Card(
      title: visit.words.choose.title, text: visit.fill(visit.words.choose.text, ["email": account]),
      form: (.newPassword(account: account), visit.words.save), note: visit.words.signsOut)
  }
}
