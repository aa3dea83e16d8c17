import Hummingbird
import MadangAPI
import MadangCore
import MadangOperations

/// The pages on which the owner of an address confirms it, for apps have no such step: the link of a mail leads to `/confirm/CODE`, which
/// asks for the account's password, and `/confirm` sends another one. They need no API key. Servers where addresses are to be confirmed
/// have them.
enum ConfirmPage {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.addLinkRequests(for: .confirm) {
      $0.confirmMail
    } sent: {
      $0.confirmSent
    }
    routes.add(troubles, for: .confirm, at: "confirm/{code}", submit: confirm)
  }

  private static let troubles = PageTroubles {
    form($0, try await $0.madang.accountToConfirm(code: $0.code))
  } mistake: {
    $0.noPassword
  } gone: { visit in
    Card(
      title: visit.words.gone, text: visit.words.confirmGone,
      ways: visit.way(visit.words.anotherMail, to: .confirm, isMain: true) + visit.chat(visit.words.toChat).map(\.aside)
    )
  }

  private static func form(_ visit: PageVisit, _ account: UnconfirmedAccount) -> Card {
    // Without seconds.
    let time = WireDate.string(account.createdAt).prefix(16).replacing("T", with: " ")
    var card = visit.notice(
      visit.words.confirm, visit.way(visit.words.toPassword, to: .password), note: visit.words.confirmOther)
    card.facts = [visit.words.made.filled(["time": String(time), "nickname": account.nickname.asName])]
    card.form = (.password, visit.words.doConfirm)
    return card
  }

  @Sendable private static func confirm(_ visit: PageVisit) async throws -> Response {
    let (service, client) = (visit.service, visit.client)
    // Before anything is read for a client without a code.
    let account = try await visit.madang.accountToConfirm(code: visit.code)
    let password = try await visit.received.body.fields().required(.password)
    do {
      let origin = Origin(edition: "", address: client.text)
      let waiting = try await service.tryPassword(of: account.emailKey, origin, from: client) {
        try await visit.madang.confirmAddress(
          code: visit.code, password: password, from: client.text, turn: client.network)
      }
      var card = visit.notice(visit.words.confirmed, visit.chat(visit.words.toChat), note: visit.app)
      if waiting != nil { card.text = visit.fill(visit.words.waits) }
      return visit.answer(.ok, card)
    } catch let failure as Failure where failure.isOfSignIn {
      var card = form(visit, account)
      card.trouble = visit.words.wrongPassword
      return visit.answer(.forbidden, card)
    }
  }
}
