import HTTPTypes
import MadangAPI
import MadangCore
import MadangOperations

/// The page that the link of an invitation leads to. It names who invites to what, to the holder of the code alone. The holder of a code
/// for several people enters an address, which is then invited, because apps have no field for a code. The page needs no API key.
enum InvitePage {
  static func add(to routes: inout RouteTable<OpenRoute>) {
    routes.add(troubles, for: .invite, at: "invite/{code}") { visit in
      // Before anything is read for a client without a code.
      try await visit.madang.requireCode(visit.code)
      let email = try await visit.received.body.fields().required(.email)
      try await visit.madang.accept(code: visit.code, email: email, from: visit.client.text)
      return visit.answer(.ok, visit.notice(visit.words.accepted, ways(visit), note: note(visit)))
    }
  }

  private static let troubles = PageTroubles { visit in
    let open = try await visit.madang.openInvitation(code: visit.code)
    let (invitation, words) = (open.invitation, visit.words)
    var card = Card(
      title: invitation.sentence(visit.service.pages.face, visit.language), text: visit.fill(words.inviteText),
      note: open.place == nil ? "" : words.inviteKnown)
    if let email = invitation.email {
      card.text = visit.fill(words.inviteAddress, ["email": email])
      card.ways = ways(visit)
      card.note = [note(visit), card.note].filter { !$0.isEmpty }.joined(separator: " ")
    } else {
      card.form = (.email, words.accept)
    }
    switch open.place {
    case .full: card.facts = [words.inviteFull]
    case .gone: card.facts = [words.inviteWorkspaceGone]
    case .free, nil: break
    }
    return card
  } mistake: {
    $0.notAnAddress
  } gone: { visit in
    Card(
      title: visit.words.gone, text: visit.words.inviteGone, ways: visit.chat(visit.words.toChat).map(\.aside))
  }

  /// Where the account is made: the app's link and the chat for browsers.
  private static func ways(_ visit: PageVisit) -> [Card.Way] {
    let link = visit.madang.settings.appLink
    let app = link.isEmpty ? [] : [Card.Way(text: visit.words.toApp, path: link, isMain: true)]
    let isHere = visit.service.settings.pageSignUp != .off
    return app + (isHere ? visit.chat(visit.words.toSignUp, "/#invitation=\(visit.code)") : [])
  }

  /// Where the account is made, if no link leads there.
  private static func note(_ visit: PageVisit) -> String { ways(visit).isEmpty ? visit.words.inApp : "" }
}
