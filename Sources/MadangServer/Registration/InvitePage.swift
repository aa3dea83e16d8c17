import HTTPTypes
import MadangAPI
import MadangCore
import MadangOperations

/// The page that the link of an invitation leads to, for apps have no field for a code: who has its code names the address of
/// the account that they will make. It needs no API key.
enum InvitePage {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.add(troubles, for: .invite, at: "invite/{code}") { visit in
      try await visit.madang.requireInvitation(code: visit.code)
    } submit: { visit in
      // Before anything is read for a client without a code.
      try await visit.madang.requireCode(visit.code)
      let email = try await visit.received.body.fields().required(.email)
      try await visit.madang.accept(code: visit.code, email: email, from: visit.client.text)
      let isHere = visit.service.settings.pageSignUp != .off
      let ways = isHere ? visit.chat(visit.words.toSignUp, "/#invitation=\(visit.code)") : []
      return visit.answer(.ok, visit.notice(visit.words.accepted, ways, note: ways.isEmpty ? visit.words.inApp : ""))
    }
  }

  private static let troubles = PageTroubles {
    var card = $0.notice($0.words.invite)
    card.form = (.email, $0.words.accept)
    return card
  } mistake: {
    $0.notAnAddress
  } gone: { visit in
    Card(
      title: visit.words.gone, text: visit.words.inviteGone, ways: visit.chat(visit.words.toChat).map(\.aside))
  }
}
